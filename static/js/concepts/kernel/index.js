/** The page of kernels: similarity fixed beforehand beside similarity that is learned, on the same points. */

import { buttons, fields, lookedAt, request, weightSays, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { kernelMatricesView, kernelView } from "./view.js";

concept({
  stem: "kernel",
  fields,
  request,
  within,
  data: lookedAt,
  exercises,
  buttons,
  views: { "#plane": kernelView, "#matrices": kernelMatricesView },
  texts: { "#weight": ({ state }) => weightSays(state) },
  pictures: ".kernel-plane, #plane .mark, #matrices .mark",
  steps: calculation,
});
