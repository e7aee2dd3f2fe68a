/** The page of the same word in several sentences as data: its fields, its call, and what they allow. */

import { BANKS } from "./exercises.js";
import { text, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../wording/model_names.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ContextState */
/** @typedef {import("../../api/types.js").AnswerTo<"context">} ContextAnswer */
/** @typedef {import("../frame/concept.js").Answered<"context", ContextState>} ContextData */

/**
 * @typedef {object} Place  what of the answer is looked at
 * @property {number} first  sentence
 * @property {number} second
 * @property {number} layer
 * @property {number} head  −1 for the mean of all
 * @property {number} state  of the API's states: the layer's, after the table and the embeddings
 */

/** How sentences are called. */
export const LETTERS = "ABCDEF";

export const fields = {
  model: text(MINILM, 200),
  word: text("bank", 100),
  texts: text(BANKS, 2000),
  first: whole(0, 0, LETTERS.length - 1),
  second: whole(1, 0, LETTERS.length - 1),
  layer: whole(5, 0, 999),
  head: whole(-1, -1, 999),
};

/** @param {Readonly<ContextState>} state */
export function request({ model, word, texts }) {
  const lines = texts.split("\n").flatMap((line) => (line.trim() ? [line.trim()] : []));
  return { model, texts: lines.map((line) => ({ text: line, word })) };
}

/**
 * Another model may have fewer layers, another text fewer sentences.
 * @param {Readonly<ContextState>} state
 * @param {ContextAnswer} answer
 */
export function within({ first, second, layer, head }, { words }) {
  const { reads } = words[0];
  return {
    first: Math.min(first, words.length - 1),
    second: Math.min(second, words.length - 1),
    layer: Math.min(layer, reads.length - 1),
    head: Math.min(head, reads[0].length - 1),
  };
}

/** @param {Readonly<ContextState>} state @returns {Place} */
export function placeOf({ first, second, layer, head }) {
  return { first, second, layer, head, state: layer + 2 };
}

/** @param {ContextData} data @returns {[string, string][]} */
const sentences = ({ answer }) => [...LETTERS.slice(0, answer.words.length)].map((letter, at) => [String(at), letter]);

/** @type {import("../frame/concept.js").Choices<ContextData>} */
export const choices = {
  layer: ({ answer }) => answer.words[0].reads.length - 1,
  head: ({ answer }) => {
    const heads = answer.words[0].reads[0].map((_, head) => t("head {head}", { head }));
    return [t("mean of the heads"), ...heads].map((title, index) => [String(index - 1), title]);
  },
  first: sentences,
  second: sentences,
};

/** @param {ContextData} data */
export function explorer({ state, answer }) {
  const { model, first, layer, head } = state;
  return {
    model,
    text: request(state).texts[first]?.text ?? "",
    layer,
    head: Math.max(head, 0),
    query: answer.words[first].word_tokens[0],
  };
}
