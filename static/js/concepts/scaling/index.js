/** The page of ÷√d_k: how large scores become, and what that does to softmax. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { saturationNumbers } from "./numbers.js";
import { film } from "./film.js";
import { pytorch } from "./pytorch.js";
import { scalingView } from "./view.js";

concept({
  stem: "scaling",
  fields,
  request,
  also,
  computes: { "scaling/saturation": saturationNumbers },
  exercises,
  views: { "#picture": scalingView },
  film,
  steps: calculation,
  pytorch,
});
