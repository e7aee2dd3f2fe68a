/**
 * Three ways of weighting the same points, computed in the page for saved files: `attention_core/demos/kernel.py`, in
 * float64 too. A test compares every number with the core's.
 */

import { dot, softmax } from "../frame/core/attention.js";
import { product } from "../frame/core/rotation.js";

/** @typedef {number[][]} Matrix */

const NEEDED = new Set(["points", "gamma", "degree", "constant", "query_weight"]);

/**
 * `POST /api/kernel`; null for random points, and for what the page does not set.
 * @param {import("../../api/types.js").Body<"kernel">} body
 */
export function kernelNumbers(body) {
  const { points, gamma, degree = 2, constant = 1, query_weight: weight } = body;
  if (!points || !gamma || Object.keys(body).some((name) => !NEEDED.has(name))) return null;
  if (weight && weight[0].length !== points[0].length) return null;
  const distances = points.map((point) => points.map((other) => sum(point.map((x, axis) => (x - other[axis]) ** 2))));
  const exponents = distances.map((row) => row.map((value) => -gamma * value));
  const bases = product(points, points).map((row) => row.map((value) => value + constant));
  return {
    points,
    keys: points,
    values: points,
    gamma,
    squared_distances: distances,
    rbf: smoothing(
      exponents.map((row) => row.map(Math.exp)),
      exponents.map(softmax),
      points,
    ),
    polynomial: smoothing(
      bases.map((row) => row.map((value) => value ** degree)),
      bases.map((row) => powers(row, degree)),
      points,
    ),
    attention: attentionOf(points, weight ? product(points, weight) : points),
  };
}

/**
 * A row's powers as shares of their sum, each divided by the largest base first.
 * @param {number[]} bases
 * @param {number} degree
 */
function powers(bases, degree) {
  const largest = Math.max(...bases.map(Math.abs)) || 1;
  const powers = bases.map((base) => (base / largest) ** degree);
  const total = sum(powers);
  return powers.map((power) => (total === 0 ? 0 : power / total));
}

/** @param {Matrix} kernel @param {Matrix} weights @param {Matrix} values */
function smoothing(kernel, weights, values) {
  return {
    kernel: kernel.flat().every(Number.isFinite) ? kernel : null,
    weights,
    output: mixed(weights, values),
    has_negative_weights: weights.flat().some((weight) => weight < 0),
  };
}

/** @param {Matrix} points  keys and values @param {Matrix} queries */
function attentionOf(points, queries) {
  const raw = queries.map((query) => points.map((key) => dot(query, key)));
  const scaled = raw.map((row) => row.map((value) => value / Math.sqrt(queries[0].length)));
  const weights = scaled.map(softmax);
  const output = mixed(weights, points);
  return {
    queries,
    keys: points,
    values: points,
    raw_scores: raw,
    scaled_scores: scaled,
    masked_scores: scaled,
    weights,
    head_outputs: output,
    output,
  };
}

/** @param {Matrix} weights @param {Matrix} values */
function mixed(weights, values) {
  return weights.map((row) => values[0].map((_, axis) => sum(row.map((value, key) => value * values[key][axis]))));
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
