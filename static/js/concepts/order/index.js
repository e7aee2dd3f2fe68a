/** The page of order: the same words in two orders. */

import { buttons, choices, explorer, fields, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";
import { orderNumbers } from "./numbers.js";
import { orderView, orderWeightsView, waysView } from "./view.js";

concept({
  stem: "order",
  fields,
  request,
  computes: { order: orderNumbers },
  within,
  exercises,
  choices,
  buttons,
  views: { "#picture": orderView, "#weights": orderWeightsView, "#ways": waysView },
  explorer,
  pictures: "#picture svg.mark, #weights svg.mark",
  steps: calculation,
  pytorch,
});
