/**
 * ALiBi's numbers computed in the page, for saved files: the formulas of `attention_core/alibi.py`, in float64 too. A
 * test compares every number with the core's.
 */

import { anglesOf, frequenciesOf, product, ROTATIONS, transposed } from "../frame/core/rotation.js";
import { softmax } from "../frame/core/attention.js";

/** @typedef {import("../../api/types.js").Body<"alibi">} AlibiBody */

const BASE = 10_000;

/**
 * `POST /api/alibi`
 * @param {AlibiBody} body
 */
export function alibiNumbers(body) {
  const { heads, seq_len: length, symmetric = false, rows, cols, queries } = body;
  const slopes = slopesOf(heads);
  const [first, stop] = rows ?? [0, length];
  const [from, to] = cols ?? [0, length];
  const bias = (/** @type {number} */ slope, /** @type {number} */ query, /** @type {number} */ key) =>
    0 - slope * (symmetric ? Math.abs(query - key) : query - key); // 0 − 0 is no −0
  const window = (/** @type {number} */ slope) =>
    range(first, stop).map((query) => range(from, to).map((key) => bias(slope, query, key)));
  return {
    slopes,
    bias: slopes.map(window),
    compared: queries ? comparedOf(body, queries, slopes, bias) : null,
  };
}

/**
 * `2^(−8h/n)` for n heads, a power of two; else those of the power of two below, then every other one of twice that power.
 * @param {number} heads
 */
export function slopesOf(heads) {
  const power = 2 ** Math.floor(Math.log2(heads));
  const first = range(1, power + 1).map((head) => (8 * head) / power);
  const between = range(0, heads - power).map((index) => (4 * (2 * index + 1)) / power);
  return [...first, ...between].map((exponent) => 2 ** -exponent);
}

/**
 * @param {AlibiBody} body
 * @param {readonly number[][]} queries
 * @param {readonly number[]} slopes
 * @param {(slope: number, query: number, key: number) => number} bias
 */
function comparedOf(
  { keys: ownKeys, values, causal = true, pairing = "half_split", base = BASE },
  queries,
  slopes,
  bias,
) {
  const keys = ownKeys ?? queries;
  const size = queries[0].length;
  const angles = anglesOf(range(0, queries.length), frequenciesOf(size, base));
  const rotated = (/** @type {readonly number[][]} */ vectors) =>
    vectors.map((vector, index) => ROTATIONS[pairing](vector, angles[index]));
  const columns = transposed(values ?? keys);

  /** @param {readonly number[][]} q @param {readonly number[][]} k @param {number} [slope] */
  function attended(q, k, slope = 0) {
    const scaled = product(q, k).map((row) => row.map((score) => score / Math.sqrt(size)));
    const masked = scaled.map((row, query) =>
      row.map((score, key) => (causal && key > query ? -Infinity : score + bias(slope, query, key))),
    );
    const weights = masked.map(softmax);
    return {
      scaled_scores: scaled,
      masked_scores: masked.map((row) => row.map((score) => (score === -Infinity ? "-Infinity" : score))),
      weights,
      output: product(weights, columns),
    };
  }

  return {
    none: attended(queries, keys),
    rope: size % 2 === 0 ? attended(rotated(queries), rotated(keys)) : null,
    alibi: slopes.map((slope) => attended(queries, keys, slope)),
  };
}

/** @param {number} first @param {number} stop */
function range(first, stop) {
  return Array.from({ length: stop - first }, (_, index) => first + index);
}
