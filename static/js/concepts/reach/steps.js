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
  const { query, layer, key: chosen } = state;
  const [mask, allowed, reached] = [answer.masks, answer.allowed, answer.reached].map(
    (matrices) => matrices[layer][query],
  );
  const [weights, change] = [answer.weights, answer.change].map((matrices) => matrices[layer][query]);
  const keysOf = (/** @type {boolean[]} */ flags) => flags.flatMap((is, key) => (is ? [key] : []));
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
    table: {
      caption: t("Position {query} after layer {layer}, every key", { query, layer }),
      columns: [
        { name: t("key"), step: 0 },
        { name: t("mask"), step: 1 },
        { name: t("weight"), step: 2 },
        { name: t("allowed"), step: 3 },
        { name: t("change"), step: 4 },
        { name: t("measured"), step: 4 },
      ],
      rows: mask.map((may, key) => [
        String(key),
        may ? t("open") : t("shut"),
        fixed(weights[key], 4),
        allowed[key] ? t("yes") : t("no"),
        change[key] === 0 ? "0" : small(change[key]),
        kindName(kindOf(answer, layer, query, key)),
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
      chosen,
    },
  };
}
