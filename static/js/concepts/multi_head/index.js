/** The page of many heads. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { multiHeadView } from "./view.js";

concept({
  stem: "multi_head",
  fields,
  request,
  also,
  exercises,
  views: { "#picture": multiHeadView },
  steps: calculation,
});
