/** The formula and the steps of multi-head attention, with the numbers of one head and one query. */

import { exampleOf, namesOf, shownOf } from "./state.js";
import { quoted } from "../../wording/token_apart.js";
import { t } from "../../base/i18n.js";
import { bracket, formula, inline, name, number, over, root, row, sub, sup, vector } from "../../base/maths/mathml.js";
import { exact, fixed, grouped } from "../../base/numbers.js";
import { listed, n as value } from "../../base/maths/formula_terms.js";

/** @typedef {import("./state.js").MultiHeadData} MultiHeadData */
/** @typedef {import("../frame/concept.js").Step} Step */

const h = (/** @type {string} */ letter) => sub(name(letter), name("h"));
/** @param {number} value */
const n = (value) => number(grouped(value));

/**
 * @param {MultiHeadData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  const head = formula(
    sub(vector("o", "is-value"), name("h")),
    "=",
    name("softmax"),
    bracket(over(row(h("Q"), sup(h("K"), name("⊤"))), root(sub(name("d"), name("k"))))),
    h("V"),
  );
  const joined = formula(
    name("y"),
    "=",
    sub(name("W"), name("O")),
    bracket(sub(vector("o"), number("1")), ";", "…", ";", sub(vector("o"), name("H"))),
  );
  const steps = data.state.view === "counts" ? oneOrTwo(data) : [...way(data), ...sizes(data)];
  return { formulas: [head, joined], steps, table: null };
}

/** From one query to its output. @param {MultiHeadData} data @returns {Step[]} */
function way(data) {
  const { state, answer } = data;
  const { head, query } = shownOf(data);
  const { d_model: width, num_heads: heads, head_dim: dim, value_dim: valueDim } = answer.sizes;
  const word =
    state.view === "heads" || state.view === "model" ? quoted(namesOf(data)[query]) : t("query {query}", { query });
  return [
    {
      name: t("Split"),
      says:
        dim * heads === width
          ? t("The width is split into heads; nothing is added.")
          : t("Queries and keys of {dim} in each of {heads} heads, whatever the width.", { dim, heads }),
      line: dim * heads === width ? inline(n(width), "/", n(heads), "=", n(dim)) : inline(n(heads), "·", n(dim)),
    },
    {
      name: t("Attend"),
      says: t("The weights of {query} in head {head}; every head has its own.", { query: word, head }),
      line: inline(...short(answer.weights[head][query])),
    },
    {
      name: t("Concatenate"),
      says: t("The outputs of the heads side by side: heads × value size numbers."),
      line: inline(n(heads), "·", n(valueDim), "=", n(answer.sizes.output_inputs)),
    },
    {
      name: t("Mix"),
      says: t("Every number of the output depends on all heads. The output for {query}:", { query: word }),
      line: inline(...short(answer.output[query])),
    },
  ];
}

const MOST_SHOWN = 6;

/** The first of many numbers. @param {readonly number[]} values */
function short(values) {
  const shown = listed(values.slice(0, MOST_SHOWN).map((item) => value(item, 3)));
  return values.length > MOST_SHOWN ? [...shown, ",", "…"] : shown;
}

/** @param {MultiHeadData} data @returns {Step[]} */
function sizes({ answer }) {
  const { num_heads: heads, num_kv_heads: kept } = answer.sizes;
  return [
    {
      name: t("Parameters"),
      says:
        kept < heads
          ? t("Of the four projections. With one KV head per query head: {all}.", {
              all: grouped(answer.parameters.own_kv_heads),
            })
          : t("Of the four projections, the same for every number of heads."),
      line: inline(
        ...[
          answer.parameters.queries,
          answer.parameters.keys,
          answer.parameters.values,
          answer.parameters.output,
        ].flatMap((count, index) => (index ? ["+", n(count)] : [n(count)])),
        "=",
        n(answer.parameters.total),
      ),
    },
    {
      name: t("The same as a loop"),
      says: t("Largest difference from one head after another, and from PyTorch's fused kernel."),
      line: inline(number(exact(answer.loop_difference)), ",", number(exact(answer.fused_difference))),
    },
  ];
}

/** @param {MultiHeadData} data @returns {Step[]} */
function oneOrTwo({ others: [further] }) {
  if (!further) return [];
  const { asker, answerers } = exampleOf(further);
  return further.counts.map((count) => ({
    name: count.num_heads === 1 ? t("One head") : t("Two heads"),
    says: t("{parameters} parameters; entropy of the asking token's row: {entropies}.", {
      parameters: grouped(count.parameters),
      entropies: count.entropy.map((rows) => fixed(rows[asker], 3)).join(", "),
    }),
    line: inline(
      ...count.weights.flatMap((weights, index) => [
        ...(index ? [";"] : []),
        ...answerers.flatMap((key, order) => [...(order ? [","] : []), number(fixed(weights[asker][key], 4))]),
      ]),
    ),
  }));
}
