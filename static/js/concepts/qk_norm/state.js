/** The page of QK-norm as data: its fields and the calls that a state makes. */

import { choice, matrix, number, numbers, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} QKNormState */
/** @typedef {import("../../api/types.js").AnswerTo<"qk_norm">} QKNormAnswer */
/** @typedef {import("../../api/types.js").Call<"qk_norm/concentration">} QKNormCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"qk_norm", QKNormState, QKNormCall[]>} QKNormData */
/** @typedef {QKNormState["kind"]} Kind */

export const KINDS = ["none", "layer", "rms", "l2"];
export const BOUNDS = { least: -100, most: 100, rows: 6, columns: 8 };

const QUERIES = [
  [1, 2, 0, -1],
  [0.5, 0, 1, 0.5],
  [-1, 1, 2, 0],
];
const KEYS = [
  [1, 1, 0, -1],
  [3, 5, -2, -4],
  [0, -0.5, 0.5, 0],
  [-1, 0, 2, 1],
];

export const fields = {
  view: choice(["scores", "lengths"]),
  queries: matrix(QUERIES, BOUNDS),
  keys: matrix(KEYS, BOUNDS),
  stretch: number(1, 0.1, 10),
  stage: choice(["dot_products", "scores", "weights"]),
  kind: choice(KINDS, "l2"),
  scale: numbers([1], { least: -10, most: 10, count: BOUNDS.columns }),
  rope: choice(["none", "half_split", "interleaved"]),
  order: choice(["after_rope", "before_rope"]),
  query: whole(0, 0, BOUNDS.rows - 1),
  key: whole(1, 0, BOUNDS.rows - 1),
  dims: numbers([2, 8, 32, 128, 512], { least: 1, most: 1024, fewest: 2, count: 8 }),
  samples: choice(["200", "1000", "5000"], "1000"),
  gain: number(0.3, 0, 2),
  seed: whole(0, 0, 999),
};

/** @param {Readonly<QKNormState>} state */
export function request(state) {
  const { queries, rope, order } = state;
  const size = queries[0].length;
  const isPlain = state.scale.every((one) => one === 1);
  const scale = Array.from({ length: size }, (_, index) => state.scale[index % state.scale.length]);
  return { queries, keys: stretched(state), rope, order, ...(isPlain ? {} : { learned_scale: scale }) };
}

/** The keys, the chosen one made longer. @param {Readonly<QKNormState>} state */
function stretched({ keys, key, stretch }) {
  const chosen = Math.min(key, keys.length - 1);
  const long = (/** @type {number} */ value) => Number((value * stretch).toPrecision(12));
  return keys.map((row, index) => (index === chosen ? row.map(long) : row));
}

/** @param {Readonly<QKNormState>} state @returns {QKNormCall[]} */
export function also({ view, dims, samples, gain, seed }) {
  if (view !== "lengths") return [];
  const sizes = [...new Set(dims.map(Math.round))].sort((one, other) => one - other);
  return [{ stem: "qk_norm/concentration", body: { dims: sizes, samples: Number(samples), gain, seed } }];
}

/**
 * The state with one side changed; the other follows in width.
 * @param {Readonly<QKNormState>} state
 * @param {"queries" | "keys"} side
 * @param {number[][]} values
 * @returns {Partial<QKNormState>}
 */
export function withSide(state, side, values) {
  const other = side === "queries" ? "keys" : "queries";
  const width = values[0].length;
  const fitted = state[other].map((row) => Array.from({ length: width }, (_, index) => row[index] ?? 0));
  // RoPE turns pairs: a width that has none left over, or no RoPE.
  return { [side]: values, [other]: fitted, ...(width % 2 ? { rope: "none" } : {}) };
}

/** @param {Readonly<QKNormState>} state @param {QKNormAnswer} answer */
export function within({ query, key }, { cosines }) {
  return { query: Math.min(query, cosines.length - 1), key: Math.min(key, cosines[0].length - 1) };
}
