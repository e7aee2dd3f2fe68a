/** The page of reach: a mask drawn by hand, and which token reaches which position, layer by layer. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { buttons, choices, dependents, fields, request, settle, within } from "./state.js";
import { film } from "./film.js";
import { pytorch } from "./pytorch.js";
import { reachNumbers } from "./numbers.js";
import { reachView } from "./view.js";

concept({
  stem: "reach",
  fields,
  settle,
  request,
  computes: { reach: reachNumbers },
  within,
  exercises,
  dependents,
  choices,
  buttons,
  views: { "#picture": reachView },
  film,
  steps: calculation,
  pytorch,
});
