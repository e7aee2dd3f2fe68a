/** The page of many heads. */

import { also, choices, fields, grid, kept, request } from "./state.js";
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
  kept: { multi_head: kept },
  grid,
  exercises,
  choices,
  views: { "#picture": multiHeadView },
  film,
  steps: calculation,
  pytorch,
});
