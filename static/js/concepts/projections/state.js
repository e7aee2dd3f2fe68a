/** The page of projections as data: its fields and the calls that a state makes. */

import { choice, example, matrix, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ProjectionsState */
/** @typedef {import("../../api/types.js").AnswerTo<"projections">} ProjectionsAnswer */
/** @typedef {import("../../api/types.js").Call<"projections/roles">} ProjectionsCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"projections", ProjectionsState, ProjectionsCall[]>} ProjectionsData */
/** @typedef {"inputs" | "wq" | "wk" | "wv"} Edited */

export const BOUNDS = { least: -100, most: 100, rows: 6, columns: 6 };
const SIZE = 4;
const SENTENCE = "The cat sat on the mat because it was tired.";
/** Tokens of a sentence that can be looked at. */
const MOST_TOKENS = 32;

/** Numbers beside the diagonal of W_v take half. */
const BANDED = Array.from({ length: SIZE }, (_, row) =>
  Array.from({ length: SIZE }, (_, column) => ({ 0: 1, 1: 0.5 })[Math.abs(row - column)] ?? 0),
);

export const fields = {
  view: choice(["three", "roles", "model"]),
  inputs: matrix(diagonal(SIZE, 1).slice(0, 3), BOUNDS),
  wq: matrix(diagonal(SIZE, 1), BOUNDS),
  wk: matrix(diagonal(SIZE, 2), BOUNDS),
  wv: matrix(BANDED, BOUNDS),
  story: choice(["plain", "library", "sky", "survey"]),
  words: example(() => t("cat sat mat"), 80),
  features: text("", 80),
  query: whole(0, 0, MOST_TOKENS - 1),
  /** Of MiniLM, which has 6 layers of 12 heads. */
  sentence: text(SENTENCE, 200),
  layer: whole(5, 0, 5),
  head: whole(11, 0, 11),
  swap: choice(["keys_values", "queries_keys", "queries_values", "none"]),
  tokens: whole(3, 1, BOUNDS.rows),
  size: whole(4, 1, BOUNDS.columns),
  seed: whole(0, 0, 999),
};

/** @param {number} size @param {number} value */
function diagonal(size, value) {
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => (row === column ? value : 0)),
  );
}

/** @param {Readonly<Pick<ProjectionsState, Edited>>} state */
export function ofMatrices({ inputs, wq, wk, wv }) {
  return { inputs, query_weight: wq, key_weight: wk, value_weight: wv };
}

/** @param {Readonly<ProjectionsState>} state */
export function request(state) {
  const { view, sentence, layer, head } = state;
  if (view !== "model") return ofMatrices(state);
  return { head_of: { model: MINILM, text: sentence, layer, head }, with_weights: false };
}

/** @param {Readonly<ProjectionsState>} state @returns {ProjectionsCall[]} */
export function also({ view, tokens, size, swap, seed }) {
  if (view !== "roles") return [];
  return [{ stem: "projections/roles", body: { num_tokens: tokens, size, swap, seed } }];
}

/**
 * One matrix changed; the others follow: all have as many columns as the input, W_q and W_k as many rows.
 * @param {Readonly<ProjectionsState>} state
 * @param {Edited} edited
 * @param {number[][]} values
 * @returns {Partial<ProjectionsState>}
 */
export function withMatrix(state, edited, values) {
  const columns = values[0].length;
  const twin = { wq: "wk", wk: "wq" }[/** @type {string} */ (edited)];
  const fitted = (/** @type {Edited} */ name) => {
    const rows = name === twin ? values.length : state[name].length;
    return Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => state[name][row]?.[column] ?? 0),
    );
  };
  return { inputs: fitted("inputs"), wq: fitted("wq"), wk: fitted("wk"), wv: fitted("wv"), [edited]: values };
}

/** @param {Readonly<ProjectionsState>} state @param {ProjectionsAnswer} answer */
export function within({ query }, { weights }) {
  return { query: Math.min(query, weights.length - 1) };
}
