/** The page of RoPE. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";
import { ropeView } from "./view.js";

concept({
  stem: "rope",
  fields,
  request,
  also,
  exercises,
  views: { "#picture": ropeView },
  steps: calculation,
  pytorch,
});
