/** The page of our attention beside the library's. */

import { calculation } from "./steps.js";
import { choices, dependents, explorer, fields, grid, lookedAt, request, SHOWN, within } from "./state.js";
import { concept } from "../frame/concept.js";
import { curvesView, differenceView, headsView, parityView, verdictView } from "./view.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "parity",
  fields,
  request,
  grid,
  within,
  data: lookedAt,
  exercises,
  dependents,
  choices,
  views: {
    "#verdict": verdictView,
    "#sides": parityView,
    "#difference": differenceView,
    "#heads": headsView,
    "#curves": curvesView,
  },
  texts: { "#dtype": ({ answer }) => answer.dtype },
  shown: {
    "#part-field": ({ answer }) => answer.parts.length > 1,
    "#cut": ({ queries, keys }) => Math.max(queries.length, keys.length) > SHOWN,
  },
  explorer,
  pictures: "#sides svg.mark, #difference svg.mark, #heads svg.mark, #curves .plot",
  steps: calculation,
  pytorch,
});
