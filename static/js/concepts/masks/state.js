/** The page of masks as data: its fields, the call that a state makes, and its presets. */

import { choice, flag, matrix, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} MasksState */
/** @typedef {import("../../api/types.js").AnswerTo<"masks">} MasksAnswer */
/** @typedef {import("../frame/concept.js").Answered<"masks", MasksState>} MasksData */

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
const FOUR = [
  [2.1, 4.5, 1.8, 3.2],
  [1.2, 3.4, 2.8, 1.9],
  [0.8, 2.1, 4, 2.5],
  [1.5, 2.9, 1.3, 3.7],
];
const SIX = [
  [0.4, 1.9, -0.6, 1.1, 0.2, 0.8],
  [1.3, 0.1, 2.2, -0.4, 0.9, 0.5],
  [-0.2, 1.6, 0.7, 1.8, 0.3, 1.2],
  [0.9, 0.6, 1.4, 0.2, 2.1, -0.5],
  [1.1, -0.3, 0.8, 1.7, 0.4, 1.5],
  [0.5, 1.2, 0.1, 0.9, 1.6, 2],
];
const LARGE = [
  [0, -9_000],
  [-12_000, 0],
];

export const fields = {
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

/** @returns {import("../frame/concept.js").Preset<MasksState>[]} */
export function presets() {
  return [
    {
      name: t("Causal, 3 × 3"),
      notice: t("No query attends to later keys: the upper triangle is −∞, its weights are exactly 0."),
      state: {},
    },
    {
      name: t("Causal, 4 × 4"),
      notice: t("The last query attends to everything; the first only to itself."),
      state: { scores: FOUR, query: 3 },
    },
    {
      name: t("Two sentences, padded"),
      notice: t("Padding gets exactly 0 from every query. The second sentence is longer and has less of it."),
      state: { kind: "padding", scores: SIX, first: 3, second: 5 },
    },
    {
      name: t("Sliding window"),
      notice: t(
        "Each query attends only to itself and the most recent keys; what is further back is reached through layers.",
      ),
      state: { kind: "sliding_window", scores: SIX, query: 4 },
    },
    {
      name: t("Prefix"),
      notice: t(
        "Every query attends to the prefix, including earlier prefix tokens; after the prefix attention is causal.",
      ),
      state: { kind: "prefix", scores: SIX, prefix: 3 },
    },
    {
      name: t("A fully masked row"),
      notice: t(
        "−∞ everywhere: softmax is undefined. Here the row is 0, not NaN. A finite number would spread it evenly.",
      ),
      state: { kind: "padding", scores: SIX, first: 0, second: 5, sentence: "0" },
    },
    {
      name: t("A finite number leaks"),
      notice: t("Scores as large as the mask value: −10⁴ instead of −∞ lets the future through."),
      state: { scores: LARGE, query: 0 },
    },
    {
      name: t("Build your own"),
      notice: t("Click the cells of the mask: each allows or forbids one query to attend to one key."),
      state: {
        kind: "custom",
        scores: FOUR,
        allowed: [
          [1, 1, 0, 0],
          [0, 1, 1, 0],
          [0, 0, 1, 1],
          [1, 0, 0, 1],
        ],
      },
    },
  ];
}
