/** The page of the circle. */

import { arrowControl, playButton } from "./controls.js";
import { barsView } from "./bars.js";
import { calculation, entropySays } from "./steps.js";
import { calls, choices, dependents, fields, needs, request, settle } from "./state.js";
import { circleData, largestDifference } from "./numbers.js";
import { circleView } from "./view.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "circle",
  fields,
  settle,
  request,
  calls,
  needs,
  data: circleData,
  exercises,
  dependents,
  choices,
  controls: { "#query-arrow": arrowControl("query"), "#key-arrow": arrowControl("key"), "#play": playButton },
  views: { "#picture": circleView, "#bars": barsView },
  texts: { "#entropy": entropySays },
  pictures: "#picture svg, #bars svg",
  steps: calculation,
  pytorch,
  difference: largestDifference,
});
