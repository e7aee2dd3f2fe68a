/** The page of the transformer block. */

import { blockView, checksView, curvesView, nextView, weightsView } from "./view.js";
import { blockNumbers } from "./numbers.js";
import { calculation } from "./steps.js";
import { checksSay, orderName } from "./names.js";
import { choices, dependents, explorer, fields, grid, lookedAt, request, within } from "./state.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "block",
  fields,
  request,
  computes: { block: blockNumbers },
  recordsPresets: true,
  grid,
  within,
  data: lookedAt,
  exercises,
  dependents,
  choices,
  views: {
    "#block": blockView,
    "#curves": curvesView,
    "#weights": weightsView,
    "#next": nextView,
    "#checks": checksView,
  },
  texts: {
    "#order": ({ answer }) => orderName(answer.order),
    "#checks-verdict": ({ answer }) => checksSay(answer.checks),
  },
  shown: { "#next-box": ({ answer }) => answer.guesses.length > 0 },
  explorer,
  pictures: "#block svg, #curves svg.mark, #weights svg.mark",
  steps: calculation,
  pytorch,
});
