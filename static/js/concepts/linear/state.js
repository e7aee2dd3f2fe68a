/** The page of the linear layer as data: its fields and the calls that a state makes. */

import { choice, flag, numbers, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} LinearState */
/** @typedef {import("../../api/types.js").AnswerTo<"linear">} LinearAnswer */
/** @typedef {import("../../api/types.js").Call<"linear/initialisation" | "linear/bias" | "linear/models">} LinearCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"linear", LinearState, LinearCall[]>} LinearData */

const MOST = 8;
/** Axes before the last: a vector alone, tokens, a batch of them, heads too. */
const LEADING = { 1: [], 2: [3], 3: [2, 3], 4: [2, 2, 3] };

export const fields = {
  view: choice(["layer", "start", "bias", "models"]),
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

/** @param {Readonly<LinearState>} state */
export function request({ ins, outs, bias, rank, seed }) {
  return { in_features: ins, out_features: outs, bias, leading: LEADING[rank], seed };
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
