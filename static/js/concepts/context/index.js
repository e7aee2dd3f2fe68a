/** The page of the same word in several sentences. */

import { calculation } from "./steps.js";
import { choices, explorer, fields, request, within } from "./state.js";
import { concept } from "../frame/concept.js";
import { cosinesView, curvesView, sentencesView } from "./view.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "context",
  fields,
  request,
  within,
  exercises,
  choices,
  views: { "#sentences": sentencesView, "#curves": curvesView, "#cosines": cosinesView },
  explorer,
  pictures: "#curves .plot, #cosines svg.mark",
  steps: calculation,
  pytorch,
});
