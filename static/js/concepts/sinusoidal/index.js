/** The page of sinusoidal and learned positions. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { fields, request } from "./state.js";
import { sinusoidalNumbers } from "./numbers.js";
import { pytorch } from "./pytorch.js";
import { sinusoidalCurveView, sinusoidalView } from "./view.js";

concept({
  stem: "sinusoidal",
  fields,
  request,
  computes: { sinusoidal: sinusoidalNumbers },
  exercises,
  views: { "#picture": sinusoidalView, "#curve": sinusoidalCurveView },
  explorer: ({ state: { model } }) => ({ model }),
  pictures: "#picture svg.mark, #curve svg.mark",
  steps: calculation,
  pytorch,
});
