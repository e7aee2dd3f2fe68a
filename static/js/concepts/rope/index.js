/** The page of RoPE. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";
import { ropeNumbers, scalingNumbers } from "./numbers.js";
import { ropeView } from "./view.js";

concept({
  stem: "rope",
  fields,
  request,
  also,
  computes: { rope: ropeNumbers, "rope/scaling": scalingNumbers },
  exercises,
  views: { "#picture": ropeView },
  steps: calculation,
  pytorch,
});
