/** The formula and the steps of reach, with the numbers of one query after one layer. */

import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, sub } from "../../base/maths/mathml.js";
import { fixed, small } from "../../base/numbers.js";
import { listed, n } from "../../base/maths/formula_terms.js";
import { kindName, kindOf } from "./words.js";

/** @typedef {import("./state.js").ReachData} ReachData */

/** A layer's mask with the residual stream. @param {string | number} layer */
const open = (layer) => bracket(sub(name("M"), number(String(layer))), "+", name("I"));

/** @param {ReachData} data @returns {import("../frame/concept.js").Scene} */
export function calculation({ state, answer }) {
  const { query, layer } = state;
  const { mask, weights, allowed, reached } = rowsOf(state, answer);
  const set = (/** @type {boolean[]} */ flags) =>
    inline("{", ...listed(keysOf(flags).map((key) => number(String(key)))), "}");
  return {
    formulas: [
      formula(
        sub(name("A"), number(String(layer))),
        "=",
        ...(layer > 1 ? [open(layer), "⋯", open(0)] : layer === 1 ? [open(1), open(0)] : [open(0)]),
      ),
    ],
    steps: [
      {
        name: t("Mask"),
        says: t("The keys that query {query} may read in layer {layer}.", { query, layer }),
        line: set(mask),
      },
      {
        name: t("Weights"),
        says: t("What it reads of each: 0 exactly where the mask is shut."),
        line: inline(...listed(weights.map((weight) => n(weight)))),
      },
      {
        name: t("Allowed"),
        says: t("What the masks of layers 0 to {layer} let through to it: the row of the product.", { layer }),
        line: set(allowed),
      },
      {
        name: t("Measured"),
        says: t("Each token replaced in turn: those after which its state is not bit for bit the same."),
        line: set(reached),
      },
    ],
    table: tableOf(state, answer),
  };
}

/** What one query may read and reaches. @param {ReachData["state"]} state @param {ReachData["answer"]} answer */
function rowsOf({ query, layer }, answer) {
  return {
    mask: answer.masks[layer][query],
    weights: answer.weights[layer][query],
    allowed: answer.allowed[layer][query],
    reached: answer.reached[layer][query],
    change: answer.change[layer][query],
  };
}

/** @param {boolean[]} flags */
function keysOf(flags) {
  return flags.flatMap((is, key) => (is ? [key] : []));
}

/**
 * @param {ReachData["state"]} state
 * @param {ReachData["answer"]} answer
 * @returns {import("../frame/concept.js").StepTable}
 */
function tableOf(state, answer) {
  const { query, layer, key } = state;
  const { mask, weights, allowed, reached, change } = rowsOf(state, answer);
  return {
    caption: t("Position {query} after layer {layer}, every key", { query, layer }),
    columns: [
      { name: t("key"), step: 0 },
      { name: t("mask"), step: 1 },
      { name: t("weight"), step: 2 },
      { name: t("allowed"), step: 3 },
      { name: t("change"), step: 4 },
      { name: t("measured"), step: 4 },
    ],
    rows: mask.map((may, at) => [
      String(at),
      may ? t("open") : t("shut"),
      fixed(weights[at], 4),
      allowed[at] ? t("yes") : t("no"),
      change[at] === 0 ? "0" : small(change[at]),
      kindName(kindOf(answer, layer, query, at)),
    ]),
    sums: [
      t("sum"),
      String(keysOf(mask).length),
      fixed(
        weights.reduce((sum, weight) => sum + weight, 0),
        4,
      ),
      String(keysOf(allowed).length),
      "",
      String(keysOf(reached).length),
    ],
    chosen: key,
  };
}
