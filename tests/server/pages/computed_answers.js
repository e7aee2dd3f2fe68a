/** Answers requests as saved files do: `node computed_answers.js FILE`, which holds [{stem, body}]. */

import { readFileSync } from "node:fs";

import { alibiNumbers } from "../../../static/js/concepts/alibi/numbers.js";
import { blockNumbers } from "../../../static/js/concepts/block/numbers.js";
import { decoderNumbers } from "../../../static/js/concepts/decoder/numbers.js";
import { kernelNumbers } from "../../../static/js/concepts/kernel/numbers.js";
import { kvCacheNumbers } from "../../../static/js/concepts/kv_cache/numbers.js";
import { linearNumbers } from "../../../static/js/concepts/linear/numbers.js";
import { masksNumbers } from "../../../static/js/concepts/masks/numbers.js";
import { orderNumbers } from "../../../static/js/concepts/order/numbers.js";
import { projectionsNumbers } from "../../../static/js/concepts/projections/numbers.js";
import { qkNormNumbers } from "../../../static/js/concepts/qk_norm/numbers.js";
import { reachNumbers } from "../../../static/js/concepts/reach/numbers.js";
import { ropeNumbers, scalingNumbers } from "../../../static/js/concepts/rope/numbers.js";
import { saturationNumbers } from "../../../static/js/concepts/scaling/numbers.js";
import { scoringNumbers } from "../../../static/js/concepts/scoring/computed.js";
import { sinusoidalNumbers } from "../../../static/js/concepts/sinusoidal/numbers.js";
import { softmaxNumbers } from "../../../static/js/concepts/softmax/numbers.js";
import { asymmetryNumbers, translationNumbers, whyNumbers } from "../../../static/js/concepts/why/numbers.js";

/** @type {Record<string, (body: any) => unknown>} */
const COMPUTES = {
  alibi: alibiNumbers,
  block: blockNumbers,
  decoder: decoderNumbers,
  kernel: kernelNumbers,
  kv_cache: kvCacheNumbers,
  linear: linearNumbers,
  masks: masksNumbers,
  order: orderNumbers,
  projections: projectionsNumbers,
  qk_norm: qkNormNumbers,
  reach: reachNumbers,
  rope: ropeNumbers,
  "rope/scaling": scalingNumbers,
  "scaling/saturation": saturationNumbers,
  scoring: scoringNumbers,
  sinusoidal: sinusoidalNumbers,
  softmax: softmaxNumbers,
  why: whyNumbers,
  "why/translation": translationNumbers,
  "why/asymmetry": asymmetryNumbers,
};

/** @type {{stem: string, body: object}[]} */
const calls = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(calls.map(({ stem, body }) => COMPUTES[stem](body))));
