/** The formula and the steps of a mask, with the numbers of one query. */

import { t } from "../../base/i18n.js";
import { matrixOf, ofSentence } from "./state.js";
import { bracket, formula, inline, name, number, over, row, sub, sum, sup } from "../../base/maths/mathml.js";
import { fixed } from "../../base/numbers.js";
import { listed, n } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").MasksData} MasksData */

const cell = () => row(name("i"), name("j"));
/** @param {number | string} value */
const plain = (value) => (Number.isFinite(Number(value)) ? String(Number(value)).replace("-", "−") : "−∞");

/**
 * @param {MasksData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, answer }) {
  const { query } = state;
  const numbers = numbersOf(state, answer);
  const { mask, masked, weights } = numbers;
  const isFull = ofSentence(state, answer.fully_masked)[query] === true;
  return {
    formulas: formulas(),
    steps: [
      {
        name: t("Mask"),
        says: t("0 where query {query} may attend, −∞ where not.", { query }),
        line: inline(...listed(mask.map((value) => number(plain(value))))),
      },
      {
        name: t("Masked scores"),
        says: t("Added to the scores: −∞ overrides any score."),
        line: inline(...listed(masked.map((value) => number(plain(value))))),
      },
      {
        name: t("Weights"),
        says: isFull
          ? t("Nothing may be attended to: the row is 0, by this product's convention.")
          : t("e^−∞ is exactly 0. The others share 1."),
        line: inline(...listed(weights.map((weight) => n(weight)))),
      },
    ],
    table: tableOf(query, numbers),
  };
}

/** What one query sees, from its scores to its weights. @param {MasksData["state"]} state @param {MasksData["answer"]} answer */
function numbersOf(state, answer) {
  const [scores, mask, masked, weights] = [answer.scores, answer.additive, answer.masked_scores, answer.weights].map(
    (matrices) => matrixOf(state, matrices)[state.query],
  );
  return { scores, mask, masked, weights, exponentials: masked.map((score) => Math.exp(Number(score))) };
}

function formulas() {
  return [
    formula(
      sub(name("α"), cell()),
      "=",
      over(
        sup(name("e"), row(sub(name("s"), cell()), "+", sub(name("M"), cell()))),
        row(
          sum(name("l")),
          sup(
            name("e"),
            row(sub(name("s"), row(name("i"), name("l"))), "+", sub(name("M"), row(name("i"), name("l")))),
          ),
        ),
      ),
    ),
    formula(sub(name("M"), cell()), "=", bracket(number("0"), ",", number("−∞"))),
  ];
}

/** @param {number} query @param {ReturnType<typeof numbersOf>} numbers @returns {import("../frame/concept.js").StepTable} */
function tableOf(query, { scores, mask, masked, weights, exponentials }) {
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  return {
    caption: t("Query {query}, every key", { query }),
    columns: [
      { name: t("key"), step: 0 },
      { name: t("score"), step: 0 },
      { name: t("mask"), step: 1 },
      { name: t("masked score"), step: 2 },
      { name: t("exponential"), step: 3 },
      { name: t("weight"), step: 3 },
    ],
    rows: scores.map((score, key) => [
      String(key),
      plain(score),
      plain(mask[key]),
      plain(masked[key]),
      readable(exponentials[key]),
      fixed(Number(weights[key]), 4),
    ]),
    sums: [
      t("sum"),
      "",
      "",
      "",
      readable(total),
      fixed(
        weights.reduce((/** @type {number} */ sum, value) => sum + Number(value), 0),
        4,
      ),
    ],
    chosen: -1,
  };
}

/** @param {number} value */
function readable(value) {
  return Number.isFinite(value) && value < 1e6 ? fixed(value, 4) : "∞";
}
