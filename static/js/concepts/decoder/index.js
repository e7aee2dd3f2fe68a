/** The page of the modern decoder block. */

import { calculation } from "./steps.js";
import { concept } from "../frame/concept.js";
import { decoderFactsView, decoderStagesView, decoderView } from "./view.js";
import { exercises } from "./exercises.js";
import { decoderNumbers } from "./numbers.js";
import { fields, lookedAt, request } from "./state.js";
import { stationName } from "./names.js";
import { pytorch } from "./pytorch.js";

concept({
  stem: "decoder",
  fields,
  request,
  computes: { decoder: decoderNumbers },
  recordsPresets: true,
  within: ({ layer }, { blocks }) => ({ layer: Math.min(layer, blocks.length - 1) }),
  data: lookedAt,
  exercises,
  choices: { layer: ({ answer }) => answer.blocks.length - 1 },
  views: { "#flow": decoderView, "#stages": decoderStagesView, "#facts": decoderFactsView },
  texts: { "#stage-title": ({ answer, station }) => stationName(station, answer.config) },
  pictures: "#flow svg, #stages svg",
  steps: calculation,
  pytorch,
});
