/** The norms of the randomly initialised decoder, computed in float64. */

import { FORMS } from "./decoder_forms.js";

/** @typedef {import("./decoder_forms.js").Form} Form */

const RMS_EPSILON = 1e-6;
const LAYER_EPSILON = 1e-5;
const L2_EPSILON = 1e-12;

/**
 * The mean that a norm takes off, the mean square of what is left, and its ε.
 * @param {Form} form
 * @param {readonly number[]} x
 */
export function spreadOf(form, x) {
  const isCentred = FORMS[form].norm === "layer";
  const mean = isCentred ? x.reduce((sum, value) => sum + value, 0) / x.length : 0;
  const spread = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return { mean, spread, epsilon: isCentred ? LAYER_EPSILON : RMS_EPSILON };
}

/** @param {Form} form @param {readonly number[]} x */
export function normed(form, x) {
  const { mean, spread, epsilon } = spreadOf(form, x);
  return x.map((value) => (value - mean) / Math.sqrt(spread + epsilon));
}

/**
 * A query or key by its length, or by the root of its mean square.
 * @param {"rms" | "l2"} qkNorm
 * @param {readonly number[]} vector
 */
export function ofEqualLength(qkNorm, vector) {
  const length =
    qkNorm === "l2"
      ? Math.max(Math.hypot(...vector), L2_EPSILON)
      : Math.sqrt(spreadOf("llama", vector).spread + RMS_EPSILON);
  return vector.map((value) => value / length);
}
