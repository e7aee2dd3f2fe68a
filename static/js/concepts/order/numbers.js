/**
 * Words in two orders computed in the page, for saved files: `attention_core/demos/order.py` in float64, with the random
 * vectors of its seeds. A test compares every number with the core's.
 */

import { anglesOf, change, frequenciesOf, product, ROTATIONS, transposed } from "../frame/core/rotation.js";
import { softmax } from "../frame/core/attention.js";
import { torchGenerator } from "../frame/core/torch_random.js";
import { WAYS } from "./state.js";

/** @typedef {number[][]} Matrix */
/** @typedef {{query: Matrix, key: Matrix, value: Matrix}} Projections  applied as `x W` */

const BASE = 10_000;
/** ALiBi's of the first of eight heads. */
const SLOPE = 0.5;

/**
 * `POST /api/order`; null for a random order, for other formats, and for vectors in place of words.
 * @param {import("../../api/types.js").Body<"order">} body
 */
export function orderNumbers({ words, vectors, dim = 16, permutation, seed = 0, precision = "float64", symmetric }) {
  if (!words || vectors || !permutation || precision !== "float64" || dim % 2) return null;
  if ([...permutation].sort((a, b) => a - b).join() !== words.map((_, position) => position).join()) return null;
  const generator = torchGenerator(seed);
  const different = [...new Set(words)];
  const table = generator.matrix(different.length, dim);
  const x = words.map((word) => table[different.indexOf(word)]);
  const [query, key, value] = ["q", "k", "v"].map(() =>
    transposed(generator.matrix(dim, dim).map((row) => row.map((value) => value / dim ** 0.5))),
  );
  const permuted = permutation.map((from) => x[from]);
  const outcomes = WAYS.map((way) => {
    const [before, after] = [x, permuted].map((rows) => attended(rows, { query, key, value }, way, symmetric ?? false));
    const moved = permutation.map((from) => before.outputs[from]);
    return {
      way,
      outputs: before.outputs,
      permuted_outputs: after.outputs,
      moved_outputs: moved,
      weights: before.weights,
      permuted_weights: after.weights,
      largest_difference: change(after.outputs, moved),
    };
  });
  return { vectors: x, permutation, outcomes, words, permuted_words: permutation.map((from) => words[from]) };
}

/**
 * @param {Matrix} words
 * @param {Projections} projections  transposed
 * @param {string} way
 * @param {boolean} symmetric
 */
function attended(words, { query, key, value }, way, symmetric) {
  const size = words[0].length;
  const angles = anglesOf(
    words.map((_, position) => position),
    frequenciesOf(size, BASE),
  );
  const x = way === "sinusoidal" ? words.map((row, position) => added(row, angles[position])) : words;
  const rotated = (/** @type {Matrix} */ rows) =>
    way === "rope" ? rows.map((row, position) => ROTATIONS.half_split(row, angles[position])) : rows;
  const scores = product(rotated(product(x, query)), rotated(product(x, key))).map((row, query) =>
    row.map((score, from) => {
      if (way === "causal" && from > query) return -Infinity;
      const distance = symmetric ? Math.abs(query - from) : query - from;
      return score / Math.sqrt(size) - (way === "alibi" ? SLOPE * distance : 0);
    }),
  );
  const weights = scores.map(softmax);
  return { weights, outputs: product(weights, transposed(product(x, value))) };
}

/** A word's vector with that of its position. @param {readonly number[]} row @param {readonly number[]} angles */
function added(row, angles) {
  return row.map((value, axis) => value + (axis % 2 ? Math.cos : Math.sin)(angles[Math.floor(axis / 2)]));
}
