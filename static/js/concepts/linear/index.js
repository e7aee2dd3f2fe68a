/** The page of the linear layer. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { linearNumbers } from "./numbers.js";
import { linearView, matrixOf } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "linear",
  fields,
  request,
  also,
  computes: { linear: linearNumbers },
  exercises,
  controls: {
    "#x": matrixOf("x", "inputs"),
    "#w": matrixOf("w", "weight"),
    "#b": matrixOf("b", "bias_values"),
  },
  views: { "#picture": linearView },
  steps: calculation,
  pytorch,
});
