/** The page of masks as data: its fields and the call that a state makes. */

import { choice, example, flag, matrix, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} MasksState */
/** @typedef {import("../../api/types.js").AnswerTo<"masks">} MasksAnswer */
/** @typedef {import("../frame/concept.js").Answered<"masks", MasksState>} MasksData */
/** @typedef {Readonly<Pick<MasksState, "kind" | "causal">>} Mask  what determines whether it goes by position */

export const MOST_TOKENS = 12;
/** float16 holds numbers up to 65,504. */
export const LARGEST_SCORE = 100_000;
/** What people add instead of −∞, and in which precisions. */
export const FILLS = [-1e4, -1e5, -1e9, /** @type {const} */ ("-Infinity")];
export const PRECISIONS = /** @type {const} */ (["float16", "bfloat16", "float32"]);

const THREE = [
  [1, 2, 3],
  [0.5, 1.5, 2.5],
  [1.2, 0.8, 2],
];

export const fields = {
  words: example(() => t("The cat sat"), 200),
  kind: choice(["causal", "padding", "sliding_window", "prefix", "custom", "none"]),
  scores: matrix(THREE, { least: -LARGEST_SCORE, most: LARGEST_SCORE, rows: MOST_TOKENS, columns: MOST_TOKENS }),
  window: whole(3, 1, MOST_TOKENS),
  back: flag(true),
  prefix: whole(2, 0, MOST_TOKENS),
  first: whole(3, 0, MOST_TOKENS),
  second: whole(5, 0, MOST_TOKENS),
  sentence: choice(["0", "1"]),
  causal: flag(),
  allowed: matrix([[1]], { least: 0, most: 1, rows: MOST_TOKENS, columns: MOST_TOKENS }),
  query: whole(1, 0, MOST_TOKENS - 1),
  key: whole(0, 0, MOST_TOKENS - 1),
};

/** @param {Readonly<MasksState>} state @returns {import("../../api/types.js").Body<"masks">} */
export function request(state) {
  return { ...mask(state), scores: state.scores, fills: FILLS, precisions: [...PRECISIONS] };
}

/** Whether a mask goes by position, so that queries, which have the last positions, must not outnumber keys. @param {Mask} mask */
function isByPosition({ kind, causal }) {
  return ["causal", "sliding_window", "prefix"].includes(kind) || (["padding", "custom"].includes(kind) && causal);
}

/**
 * Scores as a mask can take them. Where a key is taken away, the query of the same token goes too; else keys are added.
 * @param {Mask} mask
 * @param {number[][]} scores
 * @param {number[][]} [before]
 */
export function withEnoughKeys(mask, scores, before = scores) {
  const [queries, keys] = [scores.length, scores[0].length];
  if (queries <= keys || !isByPosition(mask)) return scores;
  if (keys < before[0].length) return scores.slice(0, keys);
  return scores.map((row) => [...row, ...Array(queries - keys).fill(0)]);
}

/** Of an address. @param {MasksState} state @returns {MasksState} */
export function settle(state) {
  return { ...state, scores: withEnoughKeys(state, state.scores) };
}

/** @type {import("../frame/concept.js").Dependents<MasksState>} */
export const dependents = {
  kind: (kind, { causal, scores }) => ({ scores: withEnoughKeys({ kind, causal }, scores) }),
  causal: (causal, { kind, scores }) => ({ scores: withEnoughKeys({ kind, causal }, scores) }),
};

/** @param {Readonly<MasksState>} state */
function mask({ kind, scores, window, back, prefix, first, second, causal, allowed }) {
  const keys = scores[0].length;
  switch (kind) {
    case "sliding_window":
      return { kind, window, causal_only: back };
    case "prefix":
      return { kind, prefix: Math.min(prefix, keys) };
    case "padding":
      return { kind, lengths: [first, second].map((length) => Math.min(length, keys)), causal };
    case "custom":
      return { kind, allowed: fitted(allowed, scores).map((row) => row.map(Boolean)), causal };
    default:
      return { kind };
  }
}

/**
 * The custom mask, as large as the scores; true where the user set nothing.
 * @param {readonly (readonly number[])[]} allowed
 * @param {readonly (readonly number[])[]} scores
 */
export function fitted(allowed, scores) {
  return scores.map((row, query) => row.map((_, key) => allowed[query]?.[key] ?? 1));
}

/**
 * A name for each token: its word, or its number where there are no more words.
 * @param {Readonly<MasksState>} state
 * @param {number} count
 */
export function namesOf({ words, kind, first, second, sentence }, count) {
  const found = words.trim().split(/\s+/);
  const length = kind === "padding" ? [first, second][Number(sentence)] : count;
  return Array.from({ length: count }, (_, index) => (index < length ? found[index] || String(index) : "[PAD]"));
}

/**
 * The part of the answer for the chosen sentence; masks of a batch have one for each.
 * @param {Readonly<MasksState>} state
 * @param {unknown[]} found  a field of the answer
 */
export function ofSentence({ kind, sentence }, found) {
  return /** @type {unknown[]} */ (kind === "padding" ? found[Number(sentence)] : found);
}

/** A matrix of the answer. @param {Readonly<MasksState>} state @param {unknown[]} found */
export function matrixOf(state, found) {
  return /** @type {(number | string)[][]} */ (ofSentence(state, found));
}

/** @param {Readonly<MasksState>} state @param {MasksAnswer} answer */
export function within(state, answer) {
  const weights = matrixOf(state, answer.weights);
  return { query: Math.min(state.query, weights.length - 1), key: Math.min(state.key, weights[0].length - 1) };
}
