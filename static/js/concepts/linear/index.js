/** The page of the linear layer. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { linearView } from "./view.js";

concept({
  stem: "linear",
  fields,
  request,
  also,
  exercises,
  views: { "#picture": linearView },
  steps: calculation,
});
