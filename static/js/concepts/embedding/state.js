/** The page of the table of token vectors as data: its fields, its call, and its presets. */

import { choice, text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../page/model_choice.js";

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

export const fields = {
  model: text(MINILM, 200),
  text: text(TEXTS.cat, 200),
  token: whole(2, 0, 511),
  other: whole(3, 0, 511),
  neighbours: choice(["4", "8", "16"], "8"),
};

/** @param {Readonly<EmbeddingState>} state */
export function request({ model, text: said, neighbours }) {
  return { model, text: said, neighbours: Number(neighbours) };
}

/** @param {Readonly<EmbeddingState>} state @param {EmbeddingAnswer} answer */
export function within({ token, other }, { tokens }) {
  return { token: Math.min(token, tokens.length - 1), other: Math.min(other, tokens.length - 1) };
}

/** @returns {import("../frame/concept.js").Preset<EmbeddingState>[]} */
export function presets() {
  return [
    {
      name: t("One sentence"),
      notice: t("Nine tokens go in as nine ids and come out as nine rows of 384 numbers each."),
      state: {},
    },
    {
      name: t("Neighbours in the table"),
      notice: t("“cats” is nearest to “cat”, at 0.815. Nobody specified this: training moved the rows there."),
      state: { text: TEXTS.animals, token: 1, other: 2 },
    },
    {
      name: t("The same word twice"),
      notice: t("One id, one row: the table knows nothing of the sentence. Both banks are the same vector."),
      state: { text: TEXTS.bank, token: 5, other: 8 },
    },
    {
      name: t("Opposites are near, too"),
      notice: t("“good” and “bad” stand in the same places of sentences, so their rows lie near each other: 0.535."),
      state: { text: TEXTS.judgements, token: 1, other: 2 },
    },
    {
      name: t("A language it was not trained on"),
      notice: t("MiniLM was trained on English. What its vocabulary lacks is split into pieces, or becomes [UNK]."),
      state: { text: TEXTS.japanese, token: 1, other: 2 },
    },
  ];
}
