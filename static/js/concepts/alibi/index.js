/** The page of ALiBi. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { fields, request, within } from "./state.js";
import { alibiNumbers } from "./numbers.js";
import { pytorch } from "./pytorch.js";
import { alibiSlopesView, alibiView } from "./view.js";

concept({
  stem: "alibi",
  fields,
  request,
  computes: { alibi: alibiNumbers },
  within,
  exercises,
  views: { "#picture": alibiView, "#slopes": alibiSlopesView },
  steps: calculation,
  pytorch,
});
