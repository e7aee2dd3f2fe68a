/** The page of why attention: three ways to take in a sentence, a translator, and who attends to whom. */

import { also, choices, fields, request, within } from "./state.js";
import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { asymmetryNumbers, translationNumbers, whyNumbers } from "./numbers.js";
import { exercises } from "./exercises.js";
import { film } from "./film.js";
import { pytorch } from "./pytorch.js";
import { effortView, whyView } from "./view.js";
import { designView } from "./japanese_view.js";

concept({
  stem: "why",
  fields,
  request,
  also,
  computes: { why: whyNumbers, "why/translation": translationNumbers, "why/asymmetry": asymmetryNumbers },
  within,
  exercises,
  choices,
  views: { "#picture": whyView, "#effort": effortView, "#design": designView },
  film,
  steps: calculation,
  pytorch,
});
