/** ALiBi's page as data: its fields, the call that a state makes, and its presets. */

import { choice, flag, whole } from "../../base/fields.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} AlibiState */
/** @typedef {import("../../api/types.js").AnswerTo<"alibi">} AlibiAnswer */
/** @typedef {import("../frame/concept.js").Answered<"alibi", AlibiState>} AlibiData */

const MOST_HEADS = 24;
const MOST_TOKENS = 12;
export const FARTHEST = 64;
const DIM = 4;

export const fields = {
  view: choice(["bias", "compare", "reach"]),
  heads: whole(8, 1, MOST_HEADS),
  head: whole(0, 0, MOST_HEADS - 1),
  tokens: whole(8, 2, MOST_TOKENS),
  query: whole(7, 0, MOST_TOKENS - 1),
  key: whole(3, 0, MOST_TOKENS - 1),
  distance: whole(8, 0, FARTHEST),
  vectors: choice(["drawn", "alike"]),
  symmetric: flag(),
};

/** Pseudo-random numbers, the same on every machine. @param {number} index */
const drawn = (index) => Math.round(100 * 1.6 * Math.sin(12.9898 * (index + 1))) / 100;

/** @param {number} count @param {number} seed */
function vectorsOf(count, seed) {
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: DIM }, (_, column) => drawn(seed + DIM * row + column)),
  );
}

/** @param {Readonly<AlibiState>} state */
export function request({ view, heads, tokens, vectors, symmetric }) {
  if (view === "reach") {
    return { heads, seq_len: FARTHEST + 1, rows: [FARTHEST, FARTHEST + 1] };
  }
  const shared = { heads, seq_len: tokens, symmetric };
  if (view === "bias") return shared;
  const [queries, keys] =
    vectors === "alike"
      ? [0, 1].map(() => Array.from({ length: tokens }, () => Array.from({ length: DIM }, () => 1)))
      : [vectorsOf(tokens, 0), vectorsOf(tokens, 100)];
  return { ...shared, queries, keys, causal: !symmetric };
}

/** @param {Readonly<AlibiState>} state */
export function within({ heads, head, tokens, query, key }) {
  return { head: Math.min(head, heads - 1), query: Math.min(query, tokens - 1), key: Math.min(key, tokens - 1) };
}

/** What is answered where queries and keys are given. @param {AlibiAnswer} answer */
export function comparedOf({ compared }) {
  const { none, rope, alibi } = nonNull(compared);
  return { none, rope: nonNull(rope), alibi };
}

/** @returns {import("../frame/concept.js").Preset<AlibiState>[]} */
export function presets() {
  return [
    {
      name: t("8 heads"),
      notice: t(
        "Each head's slope is half of the previous one: ½, ¼, … 1/256. Head 0 attends nearby, head 7 far away.",
      ),
      state: {},
    },
    {
      name: t("16 heads"),
      notice: t("Twice as many heads between the same ends: each slope is the previous one divided by √2."),
      state: { heads: 16, head: 1 },
    },
    {
      name: t("12 heads"),
      notice: t("Not a power of two: first the 8 slopes, then every other one of the 16, starting at 0.70711."),
      state: { heads: 12, head: 8 },
    },
    {
      name: t("Compared with RoPE"),
      notice: t(
        "The same queries and keys three times. ALiBi pulls every row towards the diagonal; RoPE rotates the vectors.",
      ),
      state: { view: "compare" },
    },
    {
      name: t("Identical vectors"),
      notice: t("Equal scores everywhere: without positions each row is uniform, with ALiBi it decays step by step."),
      state: { view: "compare", vectors: "alike", head: 1 },
    },
    {
      name: t("In an encoder"),
      notice: t("No causal mask: both sides are attended to, and only the absolute distance counts."),
      state: { view: "compare", vectors: "alike", symmetric: true, query: 3, key: 6 },
    },
    {
      name: t("How far each head attends"),
      notice: t("At slope ½ a weight halves within 1.4 tokens, at slope 1/256 within 177."),
      state: { view: "reach" },
    },
  ];
}
