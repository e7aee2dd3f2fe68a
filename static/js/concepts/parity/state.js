/** The page of parity as data: its fields, its call, and what of the answer is looked at. */

import { nonNull } from "../../base/non_null.js";
import { choice, text, whole } from "../../base/fields.js";
import { MINILM } from "../../wording/model_names.js";
import { TEXT } from "./exercises.js";
import { tokenLabel } from "../../wording/labels.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ParityState */
/** @typedef {import("../../api/types.js").AnswerTo<"parity">} ParityAnswer */

/**
 * @typedef {object} ParityData
 * @property {Readonly<ParityState>} state  within what the answer has
 * @property {ParityAnswer} answer
 * @property {string[]} queries  labels
 * @property {string[]} keys
 */

/** Above this many tokens nothing is drawn: cells would be indistinguishable. */
export const SHOWN = 24;

export const fields = {
  model: text(MINILM, 200),
  text: text(TEXT, 400),
  part: choice(["", "encoder", "decoder", "cross"]),
  layer: whole(5, 0, 999),
  head: whole(11, 0, 999),
  query: whole(8, 0, SHOWN - 1),
  key: whole(2, 0, SHOWN - 1),
};

/** Another model has other layers and heads: begin where every model has one. */
export const dependents = {
  model: () => ({ part: /** @type {const} */ (""), layer: 0, head: 0, query: 1, key: 0 }),
};

/** @param {Readonly<ParityState>} state */
export function request({ model, text: given, part, layer, head }) {
  return { model, text: given, layer, head, ...(part ? { part } : {}) };
}

/**
 * Every head in the text shown, those of the layer shown first.
 * @param {Readonly<ParityState>} state
 * @param {ParityData} data
 * @returns {Partial<ParityState>[]}
 */
export function grid(state, { answer }) {
  const rows = partOf(answer).weights.map((heads, layer) =>
    heads.map((_, head) => ({ part: state.part, layer, head })),
  );
  return [rows[answer.layer], ...rows.filter((_, layer) => layer !== answer.layer)].flat();
}

/** @param {Readonly<ParityState>} state @param {ParityAnswer} answer */
export function within({ part }, answer) {
  return { part: part || answer.part };
}

/** @param {{state: Readonly<ParityState>, answer: ParityAnswer}} data @returns {ParityData} */
export function lookedAt({ state, answer }) {
  const { tokens, part } = answer;
  const target = (part !== "encoder" && answer.target_tokens) || tokens;
  const keys = (part === "cross" ? tokens : target).map(tokenLabel);
  const queries = target.map(tokenLabel);
  const query = Math.min(state.query, queries.length - 1, SHOWN - 1);
  const key = Math.min(state.key, keys.length - 1, SHOWN - 1);
  return { state: { ...state, layer: answer.layer, head: answer.head, query, key }, answer, queries, keys };
}

/** @param {ParityAnswer} answer */
export function partOf({ parts, part }) {
  return nonNull(parts.find((one) => one.name === part));
}

/** @type {import("../frame/concept.js").Choices<ParityData>} */
export const choices = { part: ({ answer }) => answer.parts.map(({ name }) => [name, name]) };

/** @param {ParityData} data */
export function explorer({ state: { model, text: given, layer, head, query, key } }) {
  return { model, text: given, layer, head, query, key };
}
