/** The page of softmax: from scores to weights, why the maximum is subtracted first, what a temperature does. */

import { calculation, lookedAt, verdict } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { fields, request, within } from "./state.js";
import { softmaxNumbers } from "./numbers.js";
import { pytorch } from "./pytorch.js";
import { softmaxCurvesView, softmaxFactsView, softmaxView } from "./view.js";

concept({
  stem: "softmax",
  fields,
  request,
  computes: { softmax: softmaxNumbers },
  within,
  data: lookedAt,
  exercises,
  views: { "#marks": softmaxView, "#facts": softmaxFactsView, "#curves": softmaxCurvesView },
  texts: { "#verdict": ({ numbers }) => verdict(numbers) },
  pictures: "#marks .mark, #curves .mark",
  steps: calculation,
  pytorch,
});
