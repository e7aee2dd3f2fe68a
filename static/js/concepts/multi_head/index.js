/** The page of many heads. */

import { also, choices, fields, grid, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { film } from "./film.js";
import { multiHeadView } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "multi_head",
  fields,
  request,
  also,
  undrawn: {
    multi_head: ["x", "queries", "keys", "values", "raw_scores", "scaled_scores", "masked_scores", "concatenated"],
  },
  grid,
  exercises,
  choices,
  views: { "#picture": multiHeadView },
  film,
  steps: calculation,
  pytorch,
});
