/** Order's formulas and steps, with the numbers of one word in both orders. */

import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, row, size, sub, sup, vector } from "../../base/maths/mathml.js";
import { fixed, small } from "../../base/numbers.js";
import { listed, n } from "../../base/maths/formula_terms.js";
import { outcomeOf, SEEN } from "./view.js";

/** @typedef {import("./state.js").OrderData} OrderData */

const SHOWN = 4;

/** @param {readonly number[]} values @param {boolean} [goesOn] */
const list = (values, goesOn = false) =>
  bracket(...listed(values.map((value) => n(value, 3))), ...(goesOn ? [",", "…"] : []));
const attention = (/** @type {Element} */ inside) => row(name("Attn"), bracket(inside));
const P = () => name("P");
const X = () => name("X");

/** @param {string} letter  what tells the order, beside the words */
const beside = (letter) => ({
  moved: () => attention(row(P(), X(), ";", name(letter))),
  still: () => attention(row(X(), ";", name(letter))),
});

/** Attention to the permuted words, and to the words. @type {Record<string, ReturnType<typeof beside>>} */
const SIDES = {
  none: { moved: () => attention(row(P(), X())), still: () => attention(X()) },
  causal: beside("M"),
  sinusoidal: {
    moved: () => attention(row(P(), X(), "+", name("E"))),
    still: () => attention(row(X(), "+", name("E"))),
  },
  rope: beside("R"),
  alibi: beside("B"),
};

/**
 * @param {OrderData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  const { state, answer } = data;
  const outcome = outcomeOf(data);
  const { word } = state;
  const place = answer.permutation.indexOf(word);
  const [before, after] = [outcome.weights[word], outcome.permuted_weights[place]];
  const isSeen = outcome.largest_difference > SEEN;
  const { moved, still } = SIDES[state.way];
  const sign = isSeen ? "≠" : "=";
  const difference = () => row(name("max"), size(moved(), "−", P(), still()));
  const said = readable(outcome.largest_difference);
  const alpha = (/** @type {number} */ index) => sub(name("α"), number(String(index)));
  const carried = nonNull(answer.words).map((_, key) => Number(after[answer.permutation.indexOf(key)]));
  const output = (/** @type {number[]} */ values) => list(values.slice(0, SHOWN), true);
  return {
    formulas: [
      formula(moved(), sign, P(), still()),
      formula(difference(), "=", number(said), isSeen ? ">" : "≤", sup(number("10"), number("−6"))),
    ],
    steps: [
      positionStep(data, place),
      {
        name: t("Weights"),
        says: isSame(before, carried)
          ? t("Its weights over the words, listed in the first order: the same in both.")
          : t("Its weights over the words, listed in the first order: they changed."),
        line: inline(alpha(word), "=", list(before), ",", sup(alpha(word), "′"), "=", list(carried)),
      },
      {
        name: t("Output"),
        says: t("The first {count} of the {total} numbers of its output, in both orders.", {
          count: SHOWN,
          total: outcome.outputs[word].length,
        }),
        line: inline(
          sub(vector("o", "is-value"), number(String(word))),
          "=",
          output(outcome.outputs[word]),
          ",",
          sub(sup(vector("o", "is-value"), "′"), number(String(place))),
          "=",
          output(outcome.permuted_outputs[place]),
        ),
      },
      {
        name: t("Difference"),
        says: isSeen
          ? t("The largest over all words and components: the order matters.")
          : t("The largest over all words and components: only rounding. The order does not matter."),
        line: inline(difference(), "=", number(said)),
      },
    ],
    table: tableOf(data, word, place),
  };
}

/** @param {OrderData} data @param {number} place  of the word in the new order @returns {import("../frame/concept.js").Step} */
function positionStep({ state: { word }, answer }, place) {
  return {
    name: t("Positions"),
    says: t("“{word}” is at position {before}, and in the new order at position {after}.", {
      word: nonNull(answer.words)[word],
      before: word,
      after: place,
    }),
    line: inline(
      sub(vector("x", ""), number(String(word))),
      "=",
      sub(sup(vector("x", ""), "′"), number(String(place))),
      "=",
      list(answer.vectors[word].slice(0, SHOWN), true),
    ),
  };
}

/** @param {number} difference */
function readable(difference) {
  return difference > 1e-3 ? fixed(difference, 4) : small(difference);
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function isSame(a, b) {
  return a.every((value, index) => Math.abs(value - b[index]) <= SEEN);
}

/**
 * Every word: its position, its weight for the chosen word, and how far its output is from having only moved.
 * @param {OrderData} data
 * @param {number} word
 * @param {number} place
 * @returns {import("../frame/concept.js").StepTable}
 */
function tableOf(data, word, place) {
  const { answer } = data;
  const outcome = outcomeOf(data);
  const places = nonNull(answer.words).map((_, word) => answer.permutation.indexOf(word));
  const total = (/** @type {number[]} */ weights) =>
    fixed(
      weights.reduce((sum, value) => sum + value, 0),
      4,
    );
  const [before, after] = [outcome.weights[word], outcome.permuted_weights[place]];
  return {
    caption: t("Every word in both orders"),
    columns: [
      { name: t("word"), step: 0 },
      { name: t("position"), step: 1 },
      { name: t("new position"), step: 1 },
      { name: t("weight"), step: 2 },
      { name: t("new weight"), step: 2 },
      { name: t("output differs by"), step: 4 },
    ],
    rows: nonNull(answer.words).map((word, index) => [
      word,
      String(index),
      String(places[index]),
      fixed(before[index], 4),
      fixed(after[places[index]], 4),
      readable(differenceOf(outcome, index, places[index])),
    ]),
    sums: [t("sum, largest"), "", "", total(before), total(after), readable(outcome.largest_difference)],
    chosen: word,
  };
}

/**
 * The largest change of a word's output.
 * @param {import("./state.js").OrderAnswer["outcomes"][number]} outcome
 * @param {number} word
 * @param {number} place
 */
function differenceOf(outcome, word, place) {
  return Math.max(
    ...outcome.outputs[word].map((value, axis) => Math.abs(value - outcome.permuted_outputs[place][axis])),
  );
}
