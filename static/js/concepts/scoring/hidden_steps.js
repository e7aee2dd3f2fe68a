/** The steps that only additive attention has: from a query and a key to one number, then every key. */

import { t } from "../../base/i18n.js";
import { bracket, inline, name, number, row, sub, vector } from "../../base/maths/mathml.js";
import { between } from "../../base/maths/formula_terms.js";
import { fixed } from "../../base/numbers.js";
import { hiddenOf } from "./numbers.js";
import { hiddenScore, k, n4, q, signed, vectorOf } from "./terms.js";

/** @typedef {import("./numbers.js").Traced} Traced */
/** @typedef {import("./numbers.js").Hidden} Hidden */

const MOST_TERMS = 4;

/**
 * @param {Traced} numbers
 * @param {{query: number, key: number}} cell
 * @returns {import("../frame/concept.js").Step[]}
 */
export function hiddenSteps(numbers, cell) {
  const hidden = hiddenOf(numbers, cell);
  if (!hidden) return [];
  const units = hidden.sums.length;
  const score = numbers.raw_scores[cell.query][cell.key];
  return [
    {
      name: t("Concatenate"),
      says: t("Query {query} and key {key} side by side: {queryLength} + {keyLength} numbers.", {
        ...cell,
        queryLength: hidden.query.length,
        keyLength: hidden.key.length,
      }),
      line: inline("[", q(cell.query), ";", k(cell.key), "]", "=", vectorOf([...hidden.query, ...hidden.key])),
    },
    {
      name: t("Hidden layer"),
      says: t("Each of {units} hidden units has a weight for each number, adds up the products, and adds its bias.", {
        units,
      }),
      line: unitLine(numbers, cell, hidden),
    },
    {
      name: "tanh",
      says: t("tanh squeezes each sum into a number between −1 and 1."),
      line: inline(
        sub(name("h"), number("0")),
        "=",
        name("tanh"),
        bracket(n4(hidden.sums[0])),
        "=",
        n4(hidden.squashed[0]),
      ),
    },
    {
      name: t("One number"),
      says: t("Each unit counts by its weight in w; added up, they are the score {score}.", { score: fixed(score, 4) }),
      line: inline(hiddenScore(numbers, cell), "=", ...sumOf(hidden.parts), n4(score)),
    },
  ];
}

/**
 * The first hidden unit: weights times numbers, and the bias. The weights of W are those of the query, then of the key.
 * @param {Traced} numbers
 * @param {{query: number, key: number}} cell
 * @param {Hidden} hidden
 */
function unitLine({ additive }, cell, { query, key, sums }) {
  const weights = [...(additive?.query_weight[0] ?? []), ...(additive?.key_weight[0] ?? [])];
  const inputs = [...query, ...key];
  const products = weights.map((weight, index) => row(signed(Number(weight)), "·", signed(inputs[index])));
  const bias = additive?.bias ? [signed(additive.bias[0])] : [];
  const shown = products.length <= MOST_TERMS ? ["=", ...between([...products, ...bias], "+")] : [];
  const letters = row(sub(vector("W"), number("0")), "[", q(cell.query), ";", k(cell.key), "]");
  const shift = additive?.bias ? ["+", sub(name("b"), number("0"))] : [];
  return inline(letters, ...shift, ...shown, "=", n4(sums[0]));
}

/** The terms of a sum, the first few of many. @param {number[]} parts */
function sumOf(parts) {
  const shown = parts.slice(0, MOST_TERMS).map(signed);
  return [...between(shown, "+"), ...(parts.length > MOST_TERMS ? ["+", name("…")] : []), "="];
}
