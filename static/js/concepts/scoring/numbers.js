/** What the lab shows of an answer: numbers with −∞ as such, differences, and the softmax taken along the wrong axis. */

import { softmax } from "../frame/attention.js";

/** @typedef {{name: string, values: number[][]}} Stage */

/**
 * @typedef {object} Traced  the stages of one computation, −∞ as a number
 * @property {number[][]} queries  as they were scored
 * @property {number[][]} keys
 * @property {number[][]} values
 * @property {number[][]} raw_scores
 * @property {number[][]} scaled_scores
 * @property {number[][] | null} bias
 * @property {number[][] | null} mask  0 where reading is allowed, −∞ or a large negative number where not
 * @property {number[][]} masked_scores
 * @property {number[][]} weights
 * @property {number[][]} output
 * @property {number[]} entropy
 * @property {number} scale
 */

/**
 * @param {any} answer  of `POST /api/scoring`
 * @returns {Traced}
 */
export function traced(answer) {
  const numbers = (/** @type {(number | string)[][] | null} */ rows) => rows && rows.map((row) => row.map(Number));
  const mask = answer.mask?.map((/** @type {(boolean | number | string)[]} */ row) =>
    row.map((one) => (one === true ? 0 : one === false ? -Infinity : Number(one))),
  );
  const names = [
    "queries",
    "keys",
    "values",
    "raw_scores",
    "scaled_scores",
    "bias",
    "masked_scores",
    "weights",
    "output",
  ];
  const stages = Object.fromEntries(names.map((name) => [name, numbers(answer[name])]));
  return /** @type {any} */ ({ ...stages, mask: mask ?? null, entropy: answer.entropy, scale: answer.scale });
}

/**
 * The bug of a softmax along the wrong axis: columns add up to 1, rows do not.
 * @param {Traced} right
 * @returns {Traced}
 */
export function alongTheWrongAxis(right) {
  const columns = transposed(right.masked_scores).map(softmax);
  const weights = transposed(columns);
  return { ...right, weights, output: product(weights, right.values), entropy: weights.map(entropy) };
}

/** @param {number[]} weights */
function entropy(weights) {
  return weights.reduce((sum, one) => (one > 0 ? sum - one * Math.log(one) : sum), 0);
}

/** @param {number[][]} rows */
function transposed(rows) {
  return rows[0].map((_, column) => rows.map((row) => row[column]));
}

/** @param {number[][]} left @param {number[][]} right */
function product(left, right) {
  return left.map((row) => right[0].map((_, column) => row.reduce((sum, one, at) => sum + one * right[at][column], 0)));
}

/**
 * Second − first; two −∞ do not differ.
 * @param {number[][]} first
 * @param {number[][]} second
 */
export function difference(first, second) {
  return second.map((row, at) => row.map((one, index) => (one === first[at][index] ? 0 : one - first[at][index])));
}

/** The largest size of any finite number. @param {...(number[][] | null)} stages */
export function largest(...stages) {
  const finite = stages.flatMap((stage) => stage?.flat() ?? []).filter(Number.isFinite);
  return Math.max(...finite.map(Math.abs), 1e-12);
}
