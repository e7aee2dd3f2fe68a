/** The exercises of each lesson of the course; its texts are in templates/lessons.html. */

import { exercises as alibi } from "../concepts/alibi/exercises.js";
import { exercises as embedding } from "../concepts/embedding/exercises.js";
import { exercises as block } from "../concepts/block/exercises.js";
import { exercises as circle } from "../concepts/circle/exercises.js";
import { exercises as context } from "../concepts/context/exercises.js";
import { exercises as decoder } from "../concepts/decoder/exercises.js";
import { exercises as kernel } from "../concepts/kernel/exercises.js";
import { exercises as kvCache } from "../concepts/kv_cache/exercises.js";
import { exercises as linear } from "../concepts/linear/exercises.js";
import { exercises as masks } from "../concepts/masks/exercises.js";
import { exercises as multiHead } from "../concepts/multi_head/exercises.js";
import { exercises as order } from "../concepts/order/exercises.js";
import { exercises as parity } from "../concepts/parity/exercises.js";
import { exercises as projections } from "../concepts/projections/exercises.js";
import { exercises as qkNorm } from "../concepts/qk_norm/exercises.js";
import { exercises as rope } from "../concepts/rope/exercises.js";
import { exercises as scaling } from "../concepts/scaling/exercises.js";
import { exercises as scoring } from "../concepts/scoring/exercises.js";
import { exercises as sinusoidal } from "../concepts/sinusoidal/exercises.js";
import { exercises as softmax } from "../concepts/softmax/exercises.js";

/** @typedef {import("../concepts/frame/exercises.js").Exercise} Exercise */

/** By the lesson's id. @returns {Record<string, Exercise[]>} */
export function courseExercises() {
  return {
    vectors: embedding(),
    linear: linear(),
    roles: [...projections(), ...scoring(), ...circle()],
    softmax: softmax(),
    scaling: scaling(),
    norms: qkNorm(),
    scores: kernel(),
    masks: masks(),
    heads: multiHead(),
    cache: kvCache(),
    order: order(),
    sinusoidal: sinusoidal(),
    positions: rope(),
    alibi: alibi(),
    decoder: decoder(),
    models: [...block(), ...context(), ...parity()],
  };
}
