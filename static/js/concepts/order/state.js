/** The page of order as data: its fields and the call that a state makes. */

import { choice, example, numbers, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";
import { nonNull } from "../../base/non_null.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} OrderState */
/** @typedef {import("../../api/types.js").AnswerTo<"order">} OrderAnswer */
/** @typedef {import("../frame/concept.js").Answered<"order", OrderState>} OrderData */

export const WAYS = ["none", "causal", "sinusoidal", "rope", "alibi"];
export const DIM = 16;
const MOST_WORDS = 8;

export const fields = {
  words: example(() => t("the dog chased the cat"), 200),
  order: numbers([0, 4, 2, 3, 1], { least: 0, most: MOST_WORDS - 1, count: MOST_WORDS }),
  way: choice(WAYS),
  word: whole(1, 0, MOST_WORDS - 1),
  precision: choice(["float64", "float32"]),
  seed: whole(0, 0, 9999),
};

/** @param {Readonly<Pick<OrderState, "words">>} state */
export function wordsOf({ words }) {
  return words.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

/**
 * The new order for the current number of words: positions out of range are dropped, missing ones appended.
 * @param {Readonly<Pick<OrderState, "words" | "order">>} state
 * @returns {number[]}
 */
export function orderOf({ words, order }) {
  const places = wordsOf({ words }).map((_, index) => index);
  return [...new Set([...order.filter((one) => places.includes(one)), ...places])];
}

/** The position of the chosen word in the new order. @param {Readonly<OrderState>} state */
export function placeOf(state) {
  return orderOf(state).indexOf(Math.min(state.word, wordsOf(state).length - 1));
}

/**
 * The order with the chosen word put into another place.
 * @param {Readonly<OrderState>} state
 * @param {number} to
 */
export function moved(state, to) {
  const [order, from] = [orderOf(state), placeOf(state)];
  const rest = order.filter((_, place) => place !== from);
  const place = Math.min(Math.max(to, 0), order.length - 1);
  return { order: [...rest.slice(0, place), order[from], ...rest.slice(place)] };
}

/** @type {import("../frame/concept.js").Buttons<OrderState>} */
export const buttons = {
  "#left": (state) => (placeOf(state) === 0 ? null : moved(state, placeOf(state) - 1)),
  "#right": (state) => (placeOf(state) === wordsOf(state).length - 1 ? null : moved(state, placeOf(state) + 1)),
  "#reverse": (state) => ({ order: wordsOf(state).map((_, index, all) => all.length - 1 - index) }),
  "#restore": (state) => ({ order: wordsOf(state).map((_, index) => index) }),
};

/** @param {Readonly<OrderState>} state @param {OrderAnswer} answer */
export function within({ word }, { words }) {
  return { word: Math.min(word, nonNull(words).length - 1) };
}

/** With the weights, which are there as nothing else is asked for. @param {OrderAnswer["outcomes"][number]} outcome */
export function readOutcome(outcome) {
  return { ...outcome, weights: nonNull(outcome.weights), permuted_weights: nonNull(outcome.permuted_weights) };
}

/** @type {import("../frame/concept.js").Choices<OrderData>} */
export const choices = {
  word: ({ answer }) => nonNull(answer.words).map((word, index) => [String(index), `${index} ${word}`]),
};

/** @param {{answer: OrderAnswer}} data */
export function explorer({ answer }) {
  return {
    view: "compare",
    text: nonNull(answer.words).join(" "),
    other_text: nonNull(answer.permuted_words).join(" "),
  };
}

/** @param {Readonly<OrderState>} state */
export function request(state) {
  const { precision, seed } = state;
  return { words: wordsOf(state), permutation: orderOf(state), dim: DIM, seed, precision, symmetric: true };
}
