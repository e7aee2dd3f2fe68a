/** The page of the KV cache: what it takes, and how it works. */

import { also, fields, request } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { exercises } from "./exercises.js";
import { film } from "./film.js";
import { kvCacheNumbers } from "./numbers.js";
import { kvCacheView } from "./view.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "kv_cache",
  fields,
  request,
  also,
  computes: { kv_cache: kvCacheNumbers },
  exercises,
  views: { "#picture": kvCacheView },
  texts: { "#source": ({ answer }) => answer.source ?? "" },
  film,
  steps: calculation,
  pytorch,
});
