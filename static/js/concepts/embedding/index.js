/** The page of the table that a model looks ids up in. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { cosinesView, embeddingView } from "./view.js";
import { exercises } from "./exercises.js";
import { fields, grid, request, within } from "./state.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "embedding",
  fields,
  request,
  grid,
  within,
  exercises,
  views: { "#picture": embeddingView, "#cosines": cosinesView },
  explorer: ({ state: { model, text, token } }) => ({ model, text, query: token }),
  pictures: "#picture svg.mark, #cosines svg.mark",
  steps: calculation,
  pytorch,
});
