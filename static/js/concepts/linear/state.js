/** The page of the linear layer as data: its fields and the calls that a state makes. */

import { choice, flag, matrix, numbers, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} LinearState */
/** @typedef {import("../../api/types.js").AnswerTo<"linear">} LinearAnswer */
/** @typedef {import("../../api/types.js").Call<"linear/initialisation" | "linear/bias" | "linear/models">} LinearCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"linear", LinearState, LinearCall[]>} LinearData */

/** @typedef {"x" | "w" | "b"} Edited */

const MOST = 8;
export const BOUNDS = { least: -100, most: 100, rows: 6, columns: MOST };
/** Axes before the last: a vector alone, tokens, a batch of them, heads too. */
const LEADING = { 1: [], 2: [3], 3: [2, 3], 4: [2, 2, 3] };

export const fields = {
  view: choice(["layer", "start", "bias", "models"]),
  numbers: choice(["own", "random"]),
  x: matrix([[1, 2, 0, -1]], BOUNDS),
  w: matrix(
    [
      [1, 0, 2, 1],
      [0, 1, -1, 0],
      [2, -1, 0, 3],
    ],
    BOUNDS,
  ),
  b: matrix([[0.5, 0, -1]], { ...BOUNDS, rows: 1, columns: BOUNDS.rows }),
  ins: whole(4, 1, MOST),
  outs: whole(3, 1, MOST),
  bias: flag(true),
  rank: choice(["1", "2", "3", "4"]),
  vector: whole(0, 0, 11),
  output: whole(0, 0, MOST - 1),
  seed: whole(0, 0, 999),
  sizes: numbers([8, 64, 512], { least: 1, most: 4096, count: 4 }),
  rows: choice(["16", "64", "256"], "64"),
  dModel: whole(8, 1, 64),
  dK: whole(8, 1, 64),
  sequence: choice(["0", "1"]),
  query: whole(0, 0, 3),
  key: whole(1, 0, 3),
  layers: whole(96, 1, 1000),
  projections: whole(3, 1, 4),
  width: whole(4096, 1, 65_536),
};

/** @param {Readonly<LinearState>} state @returns {import("../../api/types.js").Body<"linear">} */
export function request(state) {
  const { bias, x, w, b } = state;
  if (state.numbers === "own") {
    return { inputs: x.length === 1 ? x[0] : x, weight: w, ...(bias ? { bias_values: b[0] } : {}) };
  }
  const { ins, outs, rank, seed } = state;
  return { in_features: ins, out_features: outs, bias, leading: LEADING[rank], seed };
}

/**
 * One matrix changed; the others follow: x has as many columns as W, and b one number for each row of W.
 * @param {Readonly<LinearState>} state
 * @param {Edited} edited
 * @param {number[][]} values
 * @returns {Partial<LinearState>}
 */
export function withMatrix(state, edited, values) {
  const { x, w, b } = /** @type {Readonly<LinearState>} */ ({ ...state, [edited]: values });
  const ins = edited === "x" ? x[0].length : w[0].length;
  const outs = edited === "b" ? b[0].length : w.length;
  return { x: fitted(x, x.length, ins), w: fitted(w, outs, ins), b: fitted(b, 1, outs) };
}

/**
 * So many rows and columns; what is new is 0.
 * @param {readonly (readonly number[])[]} values
 * @param {number} rows
 * @param {number} columns
 */
function fitted(values, rows, columns) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => values[row]?.[column] ?? 0),
  );
}

/** @param {Readonly<LinearState>} state @returns {LinearCall[]} */
export function also(state) {
  const { seed } = state;
  if (state.view === "start") {
    const sizes = [...new Set(state.sizes.map(Math.round))];
    return [{ stem: "linear/initialisation", body: { sizes, out_features: Number(state.rows), seed } }];
  }
  if (state.view === "bias") {
    const large = { d_model: state.width, layers: state.layers, projections: state.projections };
    return [{ stem: "linear/bias", body: { d_model: state.dModel, d_k: state.dK, seed, large } }];
  }
  return state.view === "models" ? [{ stem: "linear/models" }] : [];
}
