/** The page of the table that a model looks ids up in. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { embeddingView } from "./view.js";
import { exercises } from "./exercises.js";
import { fields, request, within } from "./state.js";

concept({
  stem: "embedding",
  fields,
  request,
  within,
  exercises,
  views: { "#picture": embeddingView },
  explorer: ({ state: { model, text, token } }) => ({ model, text, query: token }),
  steps: calculation,
});
