/**
 * Every norm of queries and keys computed in the page, for saved files: `attention_core/demos/qk_norm.py` in float64.
 * A test compares every number with the core's.
 */

import { anglesOf, change, frequenciesOf, product, ROTATIONS } from "../frame/core/rotation.js";
import { dot, length, softmax } from "../frame/core/attention.js";

/** @typedef {import("../../api/types.js").Body<"qk_norm">} Body */
/** @typedef {number[][]} Matrix */
/** @typedef {"none" | "layer" | "rms" | "l2"} Kind */

const KINDS = /** @type {const} */ (["none", "layer", "rms", "l2"]);
const BASE = 10_000;
/** Added to a mean square, to a variance, and the least length: the core's. */
const EPSILON = { rms: 1e-6, layer: 1e-5, l2: 1e-12 };

/**
 * `POST /api/qk_norm`; null for random vectors, which are left to the server, and for what it refuses.
 * @param {Body} body
 */
export function qkNormNumbers({ queries, keys, learned_scale: scale = null, rope = "none", base = BASE, order }) {
  if (!queries || !keys) return null;
  const size = queries[0].length;
  if (keys[0].length !== size || (scale && scale.length !== size) || (rope !== "none" && size % 2)) return null;
  const rotate = rope === "none" ? (/** @type {Matrix} */ rows) => rows : rotation(size, base, rope);
  const norms = normsOf(scale);
  /** @param {Kind} kind @param {boolean} isAfter */
  const normed = (kind, isAfter) =>
    [queries, keys].map((rows) => (isAfter ? rotate(rows).map(norms[kind]) : rotate(rows.map(norms[kind]))));
  /** @param {Kind} kind */
  const moved = (kind) => {
    const [after, before] = [true, false].map((isAfter) => normed(kind, isAfter));
    return change(product(after[0], after[1]), product(before[0], before[1]));
  };
  const unit = normsOf(null).l2;
  return {
    cosines: product(rotate(queries).map(unit), rotate(keys).map(unit)),
    norms: KINDS.map((kind) => compared(kind, normed(kind, order !== "before_rope"), scale)),
    order_difference: rope === "none" ? null : { rms: moved("rms"), l2: moved("l2") },
  };
}

/** Row i by position i. @param {number} size @param {number} base @param {"interleaved" | "half_split"} pairing */
function rotation(size, base, pairing) {
  const theta = frequenciesOf(size, base);
  return (/** @type {Matrix} */ rows) =>
    rows.map((row, position) => ROTATIONS[pairing](row, anglesOf([position], theta)[0]));
}

/** @param {readonly number[] | null} scale @returns {Record<Kind, (row: number[]) => number[]>} */
function normsOf(scale) {
  const scaled = (/** @type {number[]} */ row) => row.map((value, axis) => value * (scale?.[axis] ?? 1));
  const byMeanSquare = (/** @type {number[]} */ row, /** @type {number} */ epsilon) => {
    const root = Math.sqrt(dot(row, row) / row.length + epsilon);
    return row.map((value) => value / root);
  };
  return {
    none: (row) => row,
    layer: (row) => {
      const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
      return byMeanSquare(
        row.map((value) => value - mean),
        EPSILON.layer,
      );
    },
    rms: (row) => scaled(byMeanSquare(row, EPSILON.rms)),
    l2: (row) => {
      const long = Math.max(length(row), EPSILON.l2);
      return scaled(row.map((value) => value / long));
    },
  };
}

/** @param {Kind} kind @param {Matrix[]} normed @param {readonly number[] | null} scale */
function compared(kind, [queries, keys], scale) {
  const size = queries[0].length;
  const largest = scale && kind !== "layer" ? Math.max(...scale.map((gain) => gain * gain)) : 1;
  const products = product(queries, keys);
  const scoreScale = kind === "l2" ? Math.sqrt(size) : 1 / Math.sqrt(size);
  const scores = products.map((row) => row.map((value) => value * scoreScale));
  return {
    kind,
    queries,
    keys,
    query_norms: queries.map(length),
    key_norms: keys.map(length),
    dot_products: products,
    lowest: Math.min(...products.flat()),
    highest: Math.max(...products.flat()),
    bound: { none: null, layer: size, rms: size * largest, l2: largest }[kind],
    score_scale: scoreScale,
    scores,
    weights: scores.map(softmax),
  };
}
