/** The page of queries, keys and values made from one input, and of the roles that operations give. */

import { also, fields, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { projectionsNumbers } from "./numbers.js";
import { film } from "./film.js";
import { matrixOf, projectionsView } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "projections",
  fields,
  request,
  also,
  computes: { projections: projectionsNumbers },
  within,
  exercises,
  controls: {
    "#inputs": matrixOf("inputs", "inputs"),
    "#wq": matrixOf("wq", "query_weight", "query"),
    "#wk": matrixOf("wk", "key_weight", "key"),
    "#wv": matrixOf("wv", "value_weight", "value"),
  },
  views: { "#picture": projectionsView },
  film,
  steps: calculation,
  pytorch,
});
