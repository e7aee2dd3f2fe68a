/** Every number on the circle, from its state: arrows, rotated by their positions, and every stage of attention. */

import { attention } from "../frame/core/attention.js";
import { positionsOf } from "./state.js";

/** @typedef {import("../frame/core/attention.js").AdditiveWeights} AdditiveWeights */
/** @typedef {import("../frame/core/attention.js").Stages} Stages */
/** @typedef {import("./state.js").CircleState} CircleState */
/** @typedef {[number, number]} Point */

/**
 * @typedef {Stages & {queries: Point[], keys: Point[], values: Point[]}} CircleNumbers
 *   queries and keys as scored: rotated, if they have positions; values are the keys, never rotated
 */

const TRAIL_STEP = 3;

/**
 * @typedef {object} CircleData
 * @property {Readonly<CircleState>} state
 * @property {CircleNumbers} numbers
 * @property {AdditiveWeights | null} additive  the hidden layer, where the mechanism has one
 * @property {Point[]} trail  empty where none is drawn
 */

/**
 * @param {{state: Readonly<CircleState>, answer: Partial<import("./state.js").CircleAnswer> | undefined}} data
 * @returns {CircleData}
 */
export function circleData({ state, answer }) {
  const additive = answer?.additive_weights ?? null;
  const numbers = circleNumbers(state, additive);
  return { state, numbers, additive, trail: state.trail ? trailOf(state, numbers, additive) : [] };
}

/**
 * @param {Readonly<CircleState>} state
 * @param {AdditiveWeights | null} [additive]
 * @returns {CircleNumbers}
 */
export function circleNumbers(state, additive = null) {
  const { query_positions, key_positions } = positionsOf(state);
  const values = arrows(state.keyAngles, state.keyLengths);
  const plain = arrows(state.queryAngles, state.queryLengths);
  const queries = state.rope
    ? plain.map((point, index) => rotated(point, state.theta * query_positions[index]))
    : plain;
  const keys = state.rope ? values.map((value, index) => rotated(value, state.theta * key_positions[index])) : values;
  const { mechanism, temperature } = state;
  return { queries, keys, values, ...attention({ queries, keys, values, mechanism, temperature, additive }) };
}

/**
 * The path of the output while a query makes one full turn.
 * @param {Readonly<CircleState>} state
 * @param {CircleNumbers} numbers
 * @param {AdditiveWeights | null} [additive]
 * @returns {Point[]}
 */
export function trailOf(state, numbers, additive = null) {
  const around = Array.from({ length: 360 / TRAIL_STEP }, (_, index) => index * TRAIL_STEP);
  const size = state.queryLengths[state.query];
  const queries = arrows(
    around,
    around.map(() => size),
  );
  const { keys, values } = numbers;
  const { mechanism, temperature } = state;
  return /** @type {Point[]} */ (attention({ queries, keys, values, mechanism, temperature, additive }).outputs);
}

/**
 * How far RoPE turns each, in degrees.
 * @param {Readonly<CircleState>} state
 * @param {"query" | "key"} kind
 * @param {number} index
 */
export function turnOf(state, kind, index) {
  if (!state.rope) return 0;
  const { query_positions, key_positions } = positionsOf(state);
  const position = kind === "query" ? query_positions[index] : key_positions[index];
  return (state.theta * position * 180) / Math.PI;
}

/**
 * `(r cos φ, r sin φ)`
 * @param {readonly number[]} degrees
 * @param {readonly number[]} lengths
 * @returns {Point[]}
 */
function arrows(degrees, lengths) {
  return degrees.map((angle, index) => {
    const radians = (angle * Math.PI) / 180;
    return [lengths[index] * Math.cos(radians), lengths[index] * Math.sin(radians)];
  });
}

/**
 * @param {Point} point
 * @param {number} angle  radians
 * @returns {Point}
 */
function rotated([x, y], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos - y * sin, x * sin + y * cos];
}

/**
 * @param {CircleData} data
 * @param {import("./state.js").CircleAnswer} answer
 */
export function largestDifference({ numbers }, answer) {
  /** @type {[number[][], number[][]][]} */
  const pairs = [
    [numbers.scores, answer.scores],
    [numbers.scaledScores, answer.scaled_scores],
    [numbers.weights, answer.weights],
    [numbers.outputs, answer.outputs],
    [numbers.keys, answer.keys],
  ];
  return Math.max(
    ...pairs.flatMap(([ours, theirs]) =>
      ours.flatMap((row, index) => row.map((value, key) => Math.abs(value - theirs[index][key]))),
    ),
  );
}
