/** The block's page as data: its fields, its call, and what of the answer is looked at. */

import { choice, text, whole } from "../../base/fields.js";
import { TEXT } from "./exercises.js";
import { tokenLabel } from "../../wording/labels.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} BlockState */
/** @typedef {import("../../api/types.js").AnswerTo<"block">} BlockAnswer */
/** @typedef {BlockAnswer["stations"][number]} BlockStation */
/** @typedef {{state: Readonly<BlockState>, answer: BlockAnswer, labels: string[]}} BlockData  `state` within what the answer has */

export const fields = {
  model: text("", 200),
  text: text(TEXT, 400),
  layer: whole(1, 0, 999),
  token: whole(5, 0, 9999),
  form: choice(["modern", "llama", "gpt2"]),
  seed: whole(0, 0, 9999),
  width: choice(["16", "64", "128", "512"]),
  heads: choice(["1", "2", "4", "8"], "4"),
  kvHeads: choice(["1", "2", "4", "8"], "4"),
  number: whole(0, 0, 99999),
};

/** @type {import("../frame/concept.js").Dependents<BlockState>} */
export const dependents = {
  /** Another model has other layers and tokens: begin where every model has one. */
  model: (_, { token }) => ({ layer: 0, token: Math.min(token, 1) }),
  text: (typed, { token }) => ({ token: Math.min(token, typed.trim().split(/\s+/).length - 1) }),
};

/** Key/value heads; GPT-2's form has as many as query heads. @param {Readonly<BlockState>} state */
export function keptHeads({ form, heads, kvHeads }) {
  return form === "gpt2" ? Number(heads) : Math.min(Number(heads), Number(kvHeads));
}

/** Of the weights: the wider, the smaller, so that sums keep their size. @param {Readonly<BlockState>} state */
export function deviationOf({ width }) {
  return Number((0.8 / Math.sqrt(Number(width))).toPrecision(3));
}

/** @param {Readonly<BlockState>} state */
export function request(state) {
  const { model, text: given, layer, token, form, seed, width, heads } = state;
  if (model) return { model, text: given, layer, token };
  const sizes = {
    d_model: Number(width),
    num_heads: Number(heads),
    num_kv_heads: keptHeads(state),
    init_std: deviationOf(state),
  };
  return { text: given, layer, token, own: { form, seed, ...sizes } };
}

/**
 * The other tokens and blocks of the text shown; the file computes those of our own decoder.
 * @param {Readonly<BlockState>} state
 * @param {BlockData} data
 * @returns {Partial<BlockState>[]}
 */
export function grid({ layer, token }, { answer: { tokens, layers } }) {
  const others = Array.from({ length: layers }, (_, at) => ({ layer: at, token }));
  return [...tokens.map(({ index }) => ({ layer, token: index })), ...others];
}

/** @param {Readonly<BlockState>} state @param {BlockAnswer} answer */
export function within({ layer, token }, { layers, tokens }) {
  return { layer: Math.min(layer, layers - 1), token: Math.min(token, tokens.length - 1) };
}

/** @param {{state: Readonly<BlockState>, answer: BlockAnswer}} data @returns {BlockData} */
export function lookedAt({ state, answer }) {
  const number = Math.min(state.number, answer.stations[0].vector.length - 1);
  const step = Math.min(state.step, answer.stations.length);
  const { layer, token } = answer;
  return { state: { ...state, number, step, layer, token }, answer, labels: answer.tokens.map(tokenLabel) };
}

/** @type {import("../frame/concept.js").Choices<BlockData>} */
export const choices = {
  layer: ({ answer }) => answer.layers - 1,
  token: ({ labels }) => labels.map((label, index) => [String(index), `${index} ${label}`]),
};

/** @param {BlockData} data @returns {Record<string, string | number>} */
export function explorer({ state: { model, text: given, layer, token } }) {
  return model ? { model, text: given, layer, query: token } : {};
}
