/**
 * One linear layer computed in the page, for saved files: `attention_core/demos/linear.py` in float64. A test compares
 * every number with the core's.
 */

import { dot } from "../frame/core/attention.js";

/** @typedef {import("../../api/types.js").Body<"linear">} Body */

/**
 * `POST /api/linear`; null for random numbers, which are left to the server, and for what it refuses.
 * @param {Body} body
 */
export function linearNumbers({ inputs, weight, bias_values: bias = null }) {
  if (!inputs || !weight) return null;
  const vectors = /** @type {number[][]} */ (Array.isArray(inputs[0]) ? inputs : [inputs]);
  const [outs, ins] = [weight.length, weight[0].length];
  const isFit = vectors.every((vector) => vector.length === ins && !Array.isArray(vector[0]));
  if (!isFit || (bias && bias.length !== outs)) return null;
  const outputs = vectors.map((x) => weight.map((row, index) => dot(x, row) + (bias?.[index] ?? 0)));
  const isAlone = vectors[0] !== inputs[0];
  const shaped = isAlone ? outputs[0] : outputs;
  const leading = isAlone ? [] : [vectors.length];
  const bound = 1 / Math.sqrt(ins);
  return {
    inputs,
    weight,
    bias,
    terms: weight.map((row) => row.map((value, index) => vectors[0][index] * value)),
    by_hand: shaped,
    outputs: shaped,
    largest_difference: 0,
    matches: true,
    parameters: { weight: outs * ins, bias: bias ? outs : 0, total: outs * ins + (bias ? outs : 0) },
    input_shape: [...leading, ins],
    output_shape: [...leading, outs],
    bound,
    expected_standard_deviation: bound / Math.sqrt(3),
  };
}
