/** ALiBi's page as data: its fields and the call that a state makes. */

import { choice, flag, whole } from "../../base/fields.js";
import { nonNull } from "../../base/non_null.js";

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

/** @param {Readonly<AlibiState>} state @returns {import("../../api/types.js").Body<"alibi">} */
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
