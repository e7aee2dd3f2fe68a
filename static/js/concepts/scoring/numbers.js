/** Numbers of the scoring lab: −∞ decoded, differences, and softmax along the wrong axis. */

import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { softmax } from "../frame/core/attention.js";

/** Steps of every calculation, and those of a hidden layer before them. */
const [STEPS, HIDDEN_STEPS] = [5, 4];

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
 * @property {import("./state.js").ScoringAnswer["additive"]} additive  its hidden layer
 */

/**
 * @typedef {object} ScoringData
 * @property {Readonly<import("./state.js").ScoringState>} state  within what the answer has
 * @property {Traced} first
 * @property {Traced | null} second
 */

/**
 * @param {import("../frame/concept.js").Answered<"scoring", import("./state.js").ScoringState, import("./state.js").ScoringCall[]>} data
 * @returns {ScoringData}
 */
export function lookedAt({ state, answer, others: [other] }) {
  const first = traced(answer);
  const second = other ? (state.beside === "wrong_axis" ? alongTheWrongAxis(first) : traced(other)) : null;
  const query = Math.min(state.query, first.weights.length - 1);
  const key = Math.min(state.key, first.weights[0].length - 1);
  return { state: { ...state, query, key, step: Math.min(state.step, stepsBefore(state) + STEPS) }, first, second };
}

/** How many steps come before all scores are there. @param {{mechanism: string}} state */
export function stepsBefore({ mechanism }) {
  return mechanism === "additive" ? HIDDEN_STEPS : 0;
}

/**
 * @typedef {object} Hidden  additive attention's hidden layer for one query and key
 * @property {number[]} query
 * @property {number[]} key
 * @property {number[]} sums  W [q; k] + b
 * @property {number[]} squashed  their tanh
 * @property {number[]} weights  of the units, w
 * @property {number[]} parts  w · tanh, which add up to the score
 * @property {number[][]} everyKey  the tanh values for each key
 */

/**
 * @param {Traced} numbers
 * @param {{query: number, key: number}} cell
 * @returns {Hidden | null}
 */
export function hiddenOf({ additive, queries, keys }, cell) {
  const everyKey = additive?.hidden_layer?.[cell.query];
  if (!additive || !everyKey) return null;
  const [query, key, squashed] = [queries[cell.query], keys[cell.key], everyKey[cell.key]];
  const { query_weight: forQuery, key_weight: forKey, bias, combine: weights } = additive;
  const sums = weights.map(
    (_, unit) => dot(forQuery[unit].map(Number), query) + dot(forKey[unit].map(Number), key) + (bias?.[unit] ?? 0),
  );
  const parts = squashed.map((value, unit) => value * weights[unit]);
  return { query, key, sums, squashed, weights, parts, everyKey };
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  return a.reduce((sum, value, index) => sum + value * b[index], 0);
}

/**
 * @param {import("./state.js").ScoringAnswer} answer  of `POST /api/scoring`
 * @returns {Traced}
 */
function traced(answer) {
  /** @type {(boolean | number | string)[][] | null} */
  const mask = answer.mask;
  return {
    ...answer,
    masked_scores: answer.masked_scores.map((row) => row.map(Number)),
    mask:
      mask && mask.map((row) => row.map((value) => (value === true ? 0 : value === false ? -Infinity : Number(value)))),
  };
}

/**
 * The bug of a softmax along the wrong axis: columns add up to 1, rows do not.
 * @param {Traced} right
 * @returns {Traced}
 */
function alongTheWrongAxis(right) {
  const columns = transposed(right.masked_scores).map(softmax);
  const weights = transposed(columns);
  return { ...right, weights, output: product(weights, right.values), entropy: weights.map(entropy) };
}

/** @param {number[]} weights */
function entropy(weights) {
  return weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log(weight) : sum), 0);
}

/** @param {number[][]} rows */
export function transposed(rows) {
  return rows[0].map((_, column) => rows.map((row) => row[column]));
}

/** @param {number[][]} left @param {number[][]} right */
function product(left, right) {
  return left.map((row) =>
    right[0].map((_, column) => row.reduce((sum, value, inner) => sum + value * right[inner][column], 0)),
  );
}

/**
 * Second − first; two −∞ do not differ.
 * @param {number[][]} first
 * @param {number[][]} second
 */
export function difference(first, second) {
  return second.map((row, rowIndex) =>
    row.map((value, index) => (value === first[rowIndex][index] ? 0 : value - first[rowIndex][index])),
  );
}

/** Whether a query may attend to nothing: softmax is undefined there. @param {readonly number[]} maskedScores */
export function isRuledOut(maskedScores) {
  return maskedScores.every((score) => score === -Infinity);
}

/** The largest size of any finite number. @param {...(number[][] | null)} stages */
export function largest(...stages) {
  const finite = stages.flatMap((stage) => stage?.flat() ?? []).filter(Number.isFinite);
  return Math.max(...finite.map(Math.abs), 1e-12);
}

/**
 * How far the second is from the first, or why there is none.
 * @param {ScoringData} data
 */
export function besideSays({ state: { beside }, first, second }) {
  if (second) {
    const differences = {
      weights: difference(first.weights, second.weights),
      output: difference(first.output, second.output),
    };
    return t("Largest difference: weights {weights}, output {output}.", {
      weights: exact(largest(differences.weights)),
      output: exact(largest(differences.output)),
    });
  }
  if (beside === "swapped") return t("Keys and values can be swapped only if values are as long as queries.");
  if (beside === "soft_mask") return t("Choose a mask first: without one there is no −∞ to replace.");
  if (beside === "no_position") return t("Choose positions first: without them there is nothing to leave out.");
  return "";
}
