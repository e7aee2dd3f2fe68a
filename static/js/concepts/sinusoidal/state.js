/** The page of sinusoidal positions as data: its fields and the call that a state makes. */

import { choice, number, text, whole } from "../../base/fields.js";
import { MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} SinusoidalState */
/** @typedef {import("../../api/types.js").AnswerTo<"sinusoidal">} SinusoidalAnswer */
/** @typedef {import("../frame/concept.js").Answered<"sinusoidal", SinusoidalState>} SinusoidalData */

const MOST = 128;
/** A step's matrix is written out, so it has few dimensions. */
const STEP_DIM = 8;

export const fields = {
  view: choice(["map", "similarity", "step", "learned"]),
  dim: choice(["4", "8", "16", "32", "64", "128"], "64"),
  length: whole(64, 8, MOST),
  base: number(10_000, 10, 1_000_000),
  layout: choice(["interleaved", "half_split"]),
  position: whole(20, 0, MOST - 1),
  other: whole(26, 0, MOST - 1),
  pair: whole(4, 0, MOST / 2 - 1),
  by: whole(3, -16, 16),
  model: text(MINILM, 200),
};

/** @param {Readonly<SinusoidalState>} state */
export function request({ view, dim, length, base, layout, position, by, model }) {
  if (view === "step") return { dim: STEP_DIM, positions: [position], base, layout, step: by };
  const shared = { dim: Number(dim), seq_len: length, base };
  return view === "learned" ? { ...shared, model } : { ...shared, layout: view === "map" ? layout : "interleaved" };
}

/**
 * The state limited to the answer's range.
 * @param {Readonly<SinusoidalState>} state
 * @param {Pick<SinusoidalAnswer, "positions" | "frequencies">} answer
 */
export function chosenIn({ position, other, pair }, answer) {
  const last = answer.positions.length - 1;
  return {
    position: Math.min(position, last),
    other: Math.min(other, last),
    pair: Math.min(pair, answer.frequencies.length - 1),
  };
}

/**
 * The indices of the sine and the cosine of a pair in a vector.
 * @param {{layout: string}} state
 * @param {number} pair
 * @param {number} pairs
 * @returns {[number, number]}
 */
export function columnsOf({ layout }, pair, pairs) {
  return layout === "interleaved" ? [2 * pair, 2 * pair + 1] : [pair, pair + pairs];
}

/**
 * The pair that a dimension belongs to.
 * @param {{layout: string}} state
 * @param {number} column
 * @param {number} pairs
 */
export function pairOf({ layout }, column, pairs) {
  return layout === "interleaved" ? Math.floor(column / 2) : column % pairs;
}
