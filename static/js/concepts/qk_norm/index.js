/** The page of QK-norm. */

import { also, fields, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { qkNormNumbers } from "./numbers.js";
import { pytorch } from "./pytorch.js";
import { keysControl, qkNormView, queriesControl } from "./view.js";

concept({
  stem: "qk_norm",
  fields,
  request,
  also,
  computes: { qk_norm: qkNormNumbers },
  within,
  exercises,
  controls: { "#queries": queriesControl, "#keys": keysControl },
  views: { "#picture": qkNormView },
  steps: calculation,
  pytorch,
});
