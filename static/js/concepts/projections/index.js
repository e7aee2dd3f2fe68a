/** The page of queries, keys and values made from one input, and of the roles that operations give. */

import { also, fields, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { matrixOf, projectionsView } from "./view.js";

concept({
  stem: "projections",
  fields,
  request,
  also,
  within,
  exercises,
  controls: {
    "#inputs": matrixOf("inputs", "inputs", { symbol: "x" }),
    "#wq": matrixOf("wq", "query_weight", { role: "query" }),
    "#wk": matrixOf("wk", "key_weight", { role: "key" }),
    "#wv": matrixOf("wv", "value_weight", { role: "value" }),
  },
  views: { "#picture": projectionsView },
  steps: calculation,
});
