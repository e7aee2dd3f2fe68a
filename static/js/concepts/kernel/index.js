/** The page of kernels: similarity fixed beforehand beside similarity that is learned, on the same points. */

import { buttons, fields, lookedAt, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";
import { kernelNumbers } from "./numbers.js";
import { kernelMatricesView, kernelView, weightView } from "./view.js";

concept({
  stem: "kernel",
  fields,
  request,
  computes: { kernel: kernelNumbers },
  within,
  data: lookedAt,
  exercises,
  buttons,
  views: { "#plane": kernelView, "#matrices": kernelMatricesView, "#weight": weightView },
  pictures: ".kernel-plane, #plane .mark, #matrices .mark",
  steps: calculation,
  pytorch,
});
