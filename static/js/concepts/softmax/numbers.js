/**
 * Every step of softmax computed in the page, for saved files: `attention_core/demos/softmax.py` in float64. A test
 * compares every number with the core's. The other number formats are not computed.
 */

import { softmax } from "../frame/core/attention.js";

const LARGEST_EXPONENT = Math.log(Number.MAX_VALUE);

/**
 * `POST /api/softmax`; null for formats other than float64.
 * @param {import("../../api/types.js").Body<"softmax">} body
 */
export function softmaxNumbers({ scores: rawScores, temperature = 1, precision = "float64", shift = 0 }) {
  if (precision !== "float64") return null;
  const scores = rawScores.map((score) => score / temperature);
  const maximum = Math.max(...scores);
  const shifted = scores.map((score) => score - maximum);
  const exponentials = shifted.map(Math.exp);
  const weights = softmax(scores);
  const powers = scores.map(Math.exp);
  const total = sum(powers);
  const moved = softmax(scores.map((score) => score + shift));
  return {
    precision,
    scores,
    stable: { maximum, shifted, exponentials, total: sum(exponentials), weights },
    unstable: {
      exponentials: powers.map(written),
      total: written(total),
      weights: powers.map((power) => (Number.isNaN(power / total) ? null : power / total)), // ∞/∞, 0/0
      overflowed: total === Infinity,
      vanished: total === 0,
    },
    exact: weights,
    shifted_weights: moved,
    entropy: -sum(weights.map((weight) => (weight > 0 ? weight * Math.log(weight) : 0))),
    largest_exponent: LARGEST_EXPONENT,
    largest_shift_difference: Math.max(...moved.map((weight, index) => Math.abs(weight - weights[index]))),
  };
}

/** As the API writes it: JSON has no infinities. @param {number} value */
function written(value) {
  return Number.isFinite(value) ? value : String(value);
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
