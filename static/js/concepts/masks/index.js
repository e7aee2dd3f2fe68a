/** The page of masks: scores to edit, a mask to choose or to build, and what is left to read. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { dependents, fields, request, settle, within } from "./state.js";
import { film } from "./film.js";
import { masksNumbers } from "./numbers.js";
import { masksView, scoresControl } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "masks",
  fields,
  settle,
  request,
  computes: { masks: masksNumbers },
  within,
  exercises,
  dependents,
  controls: { "#scores": scoresControl },
  views: { "#picture": masksView },
  film,
  steps: calculation,
  pytorch,
});
