/** The page of the table of token vectors as data: its fields and its call. */

import { choice, text, whole } from "../../base/fields.js";
import { MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} EmbeddingState */
/** @typedef {import("../../api/types.js").AnswerTo<"embedding">} EmbeddingAnswer */
/** @typedef {import("../frame/concept.js").Answered<"embedding", EmbeddingState>} EmbeddingData */

/** Input of a model, the same in every language of the page. */
export const TEXTS = {
  cat: "The cat sat on the mat.",
  animals: "cat cats kitten dog car",
  bank: "We sat on the bank. The bank was closed.",
  judgements: "good bad great terrible",
  japanese: "猫がマットに座った。",
};

const NEIGHBOURS = /** @type {const} */ (["4", "8", "16"]);

export const fields = {
  model: text(MINILM, 200),
  text: text(TEXTS.cat, 200),
  token: whole(2, 0, 511),
  other: whole(3, 0, 511),
  neighbours: choice(NEIGHBOURS, "8"),
};

/** @param {Readonly<EmbeddingState>} state */
export function request({ model, text: said, neighbours }) {
  return { model, text: said, neighbours: Number(neighbours) };
}

/** Every number of neighbours of the text shown. @returns {Partial<EmbeddingState>[]} */
export function grid() {
  return NEIGHBOURS.map((neighbours) => ({ neighbours }));
}

/** @param {Readonly<EmbeddingState>} state @param {EmbeddingAnswer} answer */
export function within({ token, other }, { tokens }) {
  return { token: Math.min(token, tokens.length - 1), other: Math.min(other, tokens.length - 1) };
}
