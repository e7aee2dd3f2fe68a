/** How the number of the chosen head comes about: a value for each query, their mean, its place among all heads. */

import { bracket, formula, inline, name, number, over, row, size, sub, sum } from "../../base/maths/mathml.js";
import { fixed, grouped } from "../../base/numbers.js";
import { t } from "../../base/i18n.js";
import { orDash, relationId, said, signed } from "./quantities.js";

/** @typedef {import("./state.js").AtlasData} AtlasData */
/** @typedef {import("../frame/concept.js").Step} Step */
/** @typedef {import("./quantities.js").Quantity} Quantity */

const [q, k] = [() => name("q", "is-query"), () => name("k", "is-key")];
const weight = (/** @type {Element} */ key) => sub(name("w"), row(q(), key));
const back = (/** @type {string} */ sign, /** @type {string} */ by) => row(q(), sign, number(by));

/** What is measured of one query. @type {Record<string, () => Element>} */
const OF_QUERY = {
  entropy: () => row("−", sum(k()), weight(k()), name("ln"), weight(k())),
  strongest_weight: () => row(sub(name("max"), k()), weight(k())),
  mean_distance: () => row(sum(k()), weight(k()), size(q(), "−", k())),
  previous_token: () => sub(name("w"), row(q(), ",", back("−", "1"))),
  next_token: () => sub(name("w"), row(q(), ",", back("+", "1"))),
  same_token: () => sub(name("w"), row(q(), ",", q())),
  first_token: () => sub(name("w"), row(q(), ",", number("0"))),
};

/** @param {AtlasData} data @returns {import("../frame/concept.js").Scene} */
export function calculation({ state, answer }) {
  const { table, index, heads, portrait } = answer;
  const quantity = table?.quantity(state.colour);
  if (!table || !heads || !quantity || index < 0) return { formulas: [meanFormula()], steps: [waiting()], table: null };
  const relation = heads.relations.find((relation) => relationId(relation) === quantity.id);
  const steps = relation
    ? relationSteps(relation, index)
    : quantity.group === "measure"
      ? measureSteps(quantity, index, portrait)
      : [
          {
            name: t("Definition"),
            says: quantity.definition,
            line: inline(number(said(quantity, quantity.values[index]))),
          },
        ];
  const formulas = relation ? [relationFormula()] : quantity.group === "measure" ? [meanFormula(quantity.id)] : [];
  const place = quantity.isKind || quantity.group === "place" ? [] : [placeStep(quantity, index)];
  return { formulas, steps: [...steps, ...place], table: null };
}

/** @param {string} [id] */
function meanFormula(id = "") {
  const of = OF_QUERY[id]?.() ?? row(name("m"), bracket(q()));
  return formula(name("M"), "=", over(number("1"), name("N")), sum(q()), of);
}

function relationFormula() {
  return formula(name("accuracy"), "=", over(name("hits"), name("words")));
}

/** @returns {Step} */
function waiting() {
  return {
    name: t("Mean"),
    says: t("Every number of the map is a mean over the queries of the corpus."),
    line: inline(name("M")),
  };
}

/**
 * @param {Quantity} quantity
 * @param {number} index
 * @param {AtlasData["answer"]["portrait"]} portrait
 * @returns {Step[]}
 */
function measureSteps(quantity, index, portrait) {
  const histogram = portrait?.histograms[quantity.id];
  const total = histogram ? histogram.counts.reduce((sum, count) => sum + count, 0) : 0;
  const value = quantity.values[index];
  const ofQuery = OF_QUERY[quantity.id]?.() ?? row(name("m"), bracket(q()));
  const most = histogram ? histogram.counts.indexOf(Math.max(...histogram.counts)) : -1;
  return [
    { name: t("Definition"), says: quantity.definition, line: inline(name("m"), bracket(q()), "=", ofQuery) },
    ...(histogram && total > 0
      ? [
          {
            name: t("Queries"),
            says: t("{count} queries of the corpus have a value; most, {share} %, lie between {least} and {most}.", {
              count: grouped(total),
              share: fixed((100 * histogram.counts[most]) / total, 1),
              least: fixed(histogram.edges[most], 3),
              most: fixed(histogram.edges[most + 1], 3),
            }),
            line: inline(name("N"), "=", number(grouped(total))),
          },
        ]
      : []),
    {
      name: t("Mean"),
      says: t("The mean over these queries is the head's number on the map."),
      line: inline(name("M"), "=", number(said(quantity, value))),
    },
  ];
}

/**
 * @param {import("../../api/atlases.js").RelationOfHeads} relation
 * @param {number} index
 * @returns {Step[]}
 */
function relationSteps(relation, index) {
  const { accuracy, count, baseline_accuracy: baseline, baseline_offset: offset } = relation;
  const own = accuracy[index];
  const none = own === null || own === undefined;
  return [
    {
      name: t("Hits"),
      says: t(
        "Of {count} words with this relation, how many attend most to the right one. Weights on a word's pieces are summed, those of the pieces that attend are averaged; the word itself and special tokens are left out.",
        { count: grouped(count) },
      ),
      line: none
        ? inline(name("–"))
        : inline(number(grouped(Math.round(own * count))), "/", number(grouped(count)), "=", number(fixed(own, 3))),
    },
    {
      name: t("Best fixed offset"),
      says: t(
        "Always guessing the word at offset {offset}, the best of all, is right this often. A head has to beat that.",
        { offset: signed(offset) },
      ),
      line: inline(number(orDash(baseline))),
    },
    {
      name: t("Difference"),
      says: t("The head's accuracy minus that of the best fixed offset."),
      line: none
        ? inline(name("–"))
        : inline(number(fixed(own, 3)), "−", number(orDash(baseline)), "=", number(fixed(own - (baseline ?? 0), 3))),
    },
  ];
}

/** @param {Quantity} quantity @param {number} index @returns {Step} */
function placeStep(quantity, index) {
  const present = quantity.values.filter((value) => value !== null);
  const mean = present.reduce((sum, value) => sum + value, 0) / Math.max(present.length, 1);
  const value = quantity.values[index];
  const above = present.filter((other) => value !== null && other > value).length;
  return {
    name: t("Among all heads"),
    says: t("{above} of {count} heads have a larger value; the mean over all heads is {mean}.", {
      above,
      count: present.length,
      mean: said(quantity, mean),
    }),
    line: inline(
      number(said(quantity, value)),
      value !== null && value < mean ? "<" : "≥",
      number(said(quantity, mean)),
    ),
  };
}
