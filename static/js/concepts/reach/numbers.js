/**
 * Reach measured in the page, for saved files: the model of `attention_core/demos/reach.py` with the random numbers of its
 * seed, run once for every replaced token. A test compares every number with the core's.
 */

import { softmax } from "../frame/core/attention.js";
import { projected } from "../frame/core/random_decoder.js";
import { torchGenerator } from "../frame/core/torch_random.js";
import { arrived, matrixOf } from "./masks.js";

/** @typedef {import("./masks.js").Matrix} Matrix */
/** @typedef {import("../frame/core/random_decoder.js").Linear} Linear */
/** @typedef {number[][]} States  a vector for each position */
/** @typedef {"none" | "causal_convolution" | "convolution" | "norm_over_time"} Mixing */

const DIM = 16;
const SHARE = 0.25;
const SHARPNESS = 1.5;
const EPSILON = 1e-5;
const MOST_TOKENS = 24;

/** `POST /api/reach`; null for what the server refuses. @param {import("../../api/types.js").Body<"reach">} body */
export function reachNumbers({ masks, layers, intended, mixing, seed }) {
  const [depth, count, way] = [layers ?? masks.length, masks[0].length, mixing ?? "none"];
  if (count > MOST_TOKENS || (masks.length !== 1 && masks.length !== depth)) return null;
  const layerMasks = Array.from({ length: depth }, (_, layer) => masks[masks.length === 1 ? 0 : layer]);
  const model = randomModel(depth, count, seed ?? 0);
  const text = Array.from({ length: count }, (_, position) => position);
  const base = run(model, text, layerMasks, way);
  const change = layerMasks.map(() => matrixOf(count, () => false).map((row) => row.map(() => 0)));
  for (const key of text)
    for (const other of [count, count + 1]) {
      const { states } = run(
        model,
        text.map((token) => (token === key ? other : token)),
        layerMasks,
        way,
      );
      states.forEach((rows, layer) =>
        rows.forEach((row, query) => {
          const moved = Math.max(...row.map((value, axis) => Math.abs(value - base.states[layer][query][axis])));
          change[layer][query][key] = Math.max(change[layer][query][key], moved);
        }),
      );
    }
  const should = arrived(intended ? layerMasks.map(() => intended) : layerMasks);
  const reached = change.map((matrix) => matrix.map((row) => row.map((weight) => weight > 0)));
  return {
    masks: layerMasks,
    weights: base.weights,
    allowed: arrived(layerMasks),
    intended: should,
    mixed: mixedPositions(count, way),
    change,
    reached,
    leaks: reached.map((matrix, layer) =>
      matrix.map((row, query) => row.map((is, key) => is && !should[layer][query][key])),
    ),
    mixing: way,
  };
}

/**
 * Weights in the order in which the core draws them.
 * @param {number} layers
 * @param {number} count
 * @param {number} seed
 */
function randomModel(layers, count, seed) {
  const generator = torchGenerator(seed);
  /** @param {number} [times] @returns {Linear} */
  const linear = (times = 1) => ({
    outs: DIM,
    ins: DIM,
    weight: generator.uniforms(DIM * DIM, 1 / Math.sqrt(DIM)).map((value) => value * times),
  });
  const drawn = Array.from({ length: layers }, () => ({
    query: linear(SHARPNESS),
    key: linear(SHARPNESS),
    value: linear(),
    output: linear(),
  }));
  const table = generator.singles((count + 2) * DIM, 1);
  const vectors = Array.from({ length: count + 2 }, (_, token) => [...table.subarray(token * DIM, (token + 1) * DIM)]);
  return { layers: drawn, vectors };
}

/**
 * @param {ReturnType<typeof randomModel>} model
 * @param {readonly number[]} tokens
 * @param {readonly Matrix[]} masks
 * @param {Mixing} mixing
 */
function run({ layers, vectors }, tokens, masks, mixing) {
  /** @type {States} */
  let x = tokens.map((token) => vectors[token]);
  /** @type {States[]} */
  const states = [];
  /** @type {States[]} */
  const weights = [];
  layers.forEach(({ query, key, value, output }, layer) => {
    const [queries, keys, values] = [query, key, value].map((linear) => x.map((row) => projected(linear, row)));
    const shares = queries.map((query, position) =>
      softmax(
        keys.map((other, from) => (masks[layer][position][from] ? dot(query, other) / Math.sqrt(DIM) : -Infinity)),
      ),
    );
    const heads = shares.map((row) =>
      values[0].map((_, axis) => row.reduce((sum, weight, from) => sum + weight * values[from][axis], 0)),
    );
    x = mixed(
      x.map((row, position) => added(row, projected(output, heads[position]))),
      mixing,
    );
    weights.push(shares);
    states.push(x);
  });
  return { states, weights };
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function dot(a, b) {
  return a.reduce((sum, value, axis) => sum + value * b[axis], 0);
}

/** @param {readonly number[]} row @param {readonly number[]} other @param {number} [times] */
function added(row, other, times = 1) {
  return row.map((value, axis) => value + times * other[axis]);
}

/** @param {States} x @param {Mixing} mixing @returns {States} */
function mixed(x, mixing) {
  if (mixing === "none") return x;
  if (mixing === "norm_over_time") return normedOverTime(x);
  return x.map((row, position) => {
    const before = position > 0 ? added(row, x[position - 1], SHARE) : row;
    return mixing === "convolution" && position < x.length - 1 ? added(before, x[position + 1], SHARE) : before;
  });
}

/** @param {States} x @returns {States} */
function normedOverTime(x) {
  const mean = (/** @type {States} */ rows) =>
    rows[0].map((_, axis) => rows.reduce((sum, row) => sum + row[axis], 0) / rows.length);
  const middle = mean(x);
  const centred = x.map((row) => added(row, middle, -1));
  const spread = mean(centred.map((row) => row.map((value) => value * value)));
  return centred.map((row) => row.map((value, axis) => value / Math.sqrt(spread[axis] + EPSILON)));
}

/** @param {number} count @param {Mixing} mixing */
function mixedPositions(count, mixing) {
  const [first, last] = [mixing === "convolution" ? -1 : 0, mixing === "none" ? 0 : 1];
  return matrixOf(count, (query, key) => mixing === "norm_over_time" || (query - key >= first && query - key <= last));
}
