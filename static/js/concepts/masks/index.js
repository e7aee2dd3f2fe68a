/** The page of masks: scores to edit, a mask to choose or to build, and what is left to read. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { fields, request, within } from "./state.js";
import { masksView, scoresControl } from "./view.js";

concept({
  stem: "masks",
  fields,
  request,
  within,
  exercises,
  controls: { "#scores": scoresControl },
  views: { "#picture": masksView },
  steps: calculation,
});
