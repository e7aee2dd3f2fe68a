/**
 * Three projections of one input and the attention between them, computed in the page for saved files:
 * `attention_core/demos/projections.py` in float64. A test compares every number with the core's.
 */

import { attention } from "../frame/core/attention.js";
import { product } from "../frame/core/rotation.js";

/** @typedef {import("../../api/types.js").Body<"projections">} Body */
/** @typedef {number[][]} Matrix */

/**
 * `POST /api/projections`; null for a model's head and for random numbers, and for what the server refuses.
 * @param {Body} body
 */
export function projectionsNumbers(body) {
  const { inputs, query_weight: wq, key_weight: wk, value_weight: wv } = body;
  if (!inputs || !wq || !wk || !wv || body.query_bias || body.key_bias || body.value_bias || body.scale != null)
    return null;
  const isFit = [wq, wk, wv].every((weight) => weight[0].length === inputs[0].length) && wq.length === wk.length;
  if (!isFit || body.with_weights === false) return null;
  const [queries, keys, values] = [wq, wk, wv].map((weight) => product(inputs, weight));
  const numbers = attention({ queries, keys, values, mechanism: "scaled_dot", temperature: 1 });
  const stages = {
    queries,
    keys,
    values,
    raw_scores: numbers.scores,
    scaled_scores: numbers.scaledScores,
    masked_scores: numbers.scaledScores,
    weights: numbers.weights,
    head_outputs: numbers.outputs,
    output: numbers.outputs,
  };
  /** @param {Matrix} weight */
  const without = (weight) => ({ weight, bias: null });
  const shapes = Object.entries({ inputs, ...stages }).map(([name, rows]) => [name, [rows.length, rows[0].length]]);
  return {
    tokens: null,
    inputs,
    query: without(wq),
    key: without(wk),
    value: without(wv),
    shapes: Object.fromEntries(shapes),
    ...stages,
  };
}
