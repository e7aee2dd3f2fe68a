/**
 * Softmax of one row of scores, undivided and divided, computed in the page for saved files: the saturation of
 * `attention_core/demos/scaling.py` in float64. A test compares every number with the core's.
 */

import { length, softmax } from "../frame/core/attention.js";
import { entropyOf } from "../frame/mask_matrix.js";

/** @typedef {import("../../api/types.js").Body<"scaling/saturation">} Body */

/** Divides where neither a divisor nor d_k is given. */
const USUAL_SIZE = 64;

/** `POST /api/scaling/saturation`; null for what the server refuses. @param {Body} body */
export function saturationNumbers({ scores = [10, 5, 2, 1], divisor = null, d_k: size = null }) {
  if (divisor !== null && size !== null) return null;
  const by = divisor ?? Math.sqrt(size ?? USUAL_SIZE);
  return { divisor: by, unscaled: sideOf(scores), scaled: sideOf(scores.map((score) => score / by)) };
}

/** @param {number[]} scores */
function sideOf(scores) {
  const weights = softmax(scores);
  const jacobian = weights.map((weight, index) =>
    weights.map((other, key) => weight * (Number(key === index) - other)),
  );
  return {
    scores,
    exponentials: scores.map(exponential),
    ratio: exponential(Math.max(...scores) - Math.min(...scores)),
    weights,
    entropy: entropyOf(weights),
    jacobian,
    gradient_norm: length(jacobian.flat()),
  };
}

/** Null where float64 overflows. @param {number} score */
function exponential(score) {
  const power = Math.exp(score);
  return Number.isFinite(power) ? power : null;
}
