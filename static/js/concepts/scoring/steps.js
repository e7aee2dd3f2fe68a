/** The lab's formula and its calculation, with the numbers of the chosen query and key. */

import { t } from "../../base/i18n.js";
import {
  bracket,
  formula,
  inline,
  name,
  number,
  over,
  root,
  row,
  sub,
  sum,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { exact, fixed } from "../../base/numbers.js";
import { hiddenSteps } from "./hidden_steps.js";
import { isRuledOut, stepsBefore } from "./numbers.js";
import { alpha, hiddenScore, k, n4, q, signed, v, vectorOf } from "./terms.js";
import { between } from "../../base/maths/formula_terms.js";

/** @typedef {import("./numbers.js").Traced} Traced */
/** @typedef {import("./state.js").ScoringState} ScoringState */

const MOST_TERMS = 4;

/**
 * @param {import("./numbers.js").ScoringData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, first }) {
  const cell = { query: state.query, key: state.key };
  return {
    formulas: [generalFormula(state, first), currentFormula(first, cell)],
    steps: stepsOf(state, first, cell),
    table: tableOf(first, cell, stepsBefore(state)),
  };
}

/**
 * The whole computation in letters, as chosen.
 * @param {Readonly<ScoringState>} state
 * @param {Traced} numbers
 */
function generalFormula(state, numbers) {
  const additions = [...(numbers.bias ? ["+", name("B")] : []), ...(numbers.mask ? ["+", name("M")] : [])];
  return formula(
    name("O", "is-value"),
    "=",
    name("softmax"),
    bracket(divided(state, scoreLetters(state, numbers)), ...additions),
    name("V", "is-value"),
  );
}

/** @param {Readonly<ScoringState>} state @param {Traced} numbers */
function scoreLetters({ mechanism }, { additive }) {
  const [Q, K] = [name("Q", "is-query"), name("K", "is-key")];
  if (mechanism === "cosine") return row(name("cos"), bracket(Q, ",", K));
  if (mechanism === "additive") {
    const inside = row(Q, sup(sub(name("W"), name("q")), name("⊤")), "+", K, sup(sub(name("W"), name("k")), name("⊤")));
    return row(name("tanh"), bracket(inside, ...(additive?.bias ? ["+", vector("b")] : [])), vector("w"));
  }
  return row(Q, sup(K, name("⊤")));
}

/**
 * @param {Readonly<ScoringState>} state
 * @param {Element} score
 */
function divided({ mechanism, temperature }, score) {
  const isRooted = mechanism === "scaled_dot";
  const parts = [...(isRooted ? [root(name("d"))] : []), ...(temperature === 1 ? [] : [name("T")])];
  return parts.length === 0 ? score : over(score, row(...parts));
}

/**
 * The same with the numbers of the chosen query and key.
 * @param {Traced} numbers
 * @param {{query: number, key: number}} at
 */
function currentFormula(numbers, { query, key }) {
  const scores = numbers.masked_scores[query];
  const powers = scores.map((score) => sup(name("e"), n4(score)));
  const total =
    powers.length <= MOST_TERMS
      ? row(...between(powers, "+"))
      : row(sum(name("j")), sup(name("e"), sub(name("s"), name("j"))));
  return formula(
    alpha(query, key),
    "=",
    over(sup(name("e"), n4(scores[key])), total),
    "=",
    n4(numbers.weights[query][key]),
  );
}

/**
 * @param {Readonly<ScoringState>} state
 * @param {Traced} numbers
 * @param {{query: number, key: number}} cell
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(state, numbers, cell) {
  const { query, key } = cell;
  const raw = numbers.raw_scores[query][key];
  const scaled = numbers.scaled_scores[query][key];
  const masked = numbers.masked_scores[query][key];
  const weights = numbers.weights[query];
  return [
    ...hiddenSteps(numbers, cell),
    {
      name: state.mechanism === "additive" ? t("Every key") : t("Score"),
      says:
        state.mechanism === "additive"
          ? t("The same hidden layer compares query {query} with every key.", { query })
          : t("How well query {query} and key {key} match.", { query, key }),
      line: scoreLine(state, numbers, cell),
    },
    { name: t("Scale"), says: scaleSays(state), line: inline(n4(raw), ...scaling(state), "=", n4(scaled)) },
    {
      name: t("Bias and mask"),
      says:
        numbers.bias || numbers.mask
          ? t("Added to the scores: a bias shifts them, −∞ rules a key out.")
          : t("Nothing is added here: every query may attend to every key."),
      line: inline(
        n4(scaled),
        ...(numbers.bias ? ["+", signed(numbers.bias[query][key])] : []),
        ...(numbers.mask ? ["+", signed(numbers.mask[query][key])] : []),
        "=",
        n4(masked),
      ),
    },
    {
      name: t("Softmax"),
      says: isRuledOut(numbers.masked_scores[query])
        ? t("Query {query} may attend to nothing: softmax is undefined there, and its weights are set to 0.", { query })
        : t("Each row becomes positive and adds up to 1. Entropy {entropy} of at most {most}.", {
            entropy: fixed(numbers.entropy[query], 3),
            most: fixed(Math.log(weights.length), 3),
          }),
      line: weightLine(numbers, cell),
    },
    {
      name: t("Mix"),
      says: t("The output is the sum of the values, each multiplied by its weight."),
      line: outputLine(numbers, cell),
    },
  ];
}

/** @param {Readonly<ScoringState>} state */
function scaleSays({ mechanism, temperature }) {
  if (mechanism === "scaled_dot") return t("Divided by the square root of the dimension, and by the temperature.");
  return temperature === 1
    ? t("This mechanism does not scale its scores.")
    : t("Divided by the temperature: a low one makes differences larger, a high one smaller.");
}

/** @param {Readonly<ScoringState>} state */
function scaling({ mechanism, temperature, queries }) {
  const dimensions = mechanism === "scaled_dot" ? ["÷", root(number(String(queries[0].length)))] : [];
  return [...dimensions, ...(temperature === 1 ? [] : ["÷", number(String(temperature))])];
}

/**
 * @param {Readonly<ScoringState>} state
 * @param {Traced} numbers
 * @param {{query: number, key: number}} at
 */
function scoreLine({ mechanism }, { queries, keys, raw_scores, additive }, { query, key }) {
  const score = n4(raw_scores[query][key]);
  if (mechanism === "additive") {
    return inline(
      sub(name("s"), name("j")),
      "=",
      hiddenScore({ additive }, { query, key: "j" }),
      ":",
      vectorOf(raw_scores[query]),
    );
  }
  const products = queries[query].map((value, index) => row(signed(value), "·", signed(keys[key][index])));
  const shown = products.length <= MOST_TERMS ? [...between(products, "+"), "="] : [];
  if (mechanism === "cosine") return inline(name("cos"), bracket(q(query), ",", k(key)), "=", score);
  return inline(q(query), "·", k(key), "=", ...shown, score);
}

/**
 * @param {Traced} numbers
 * @param {{query: number, key: number}} at
 */
function weightLine({ masked_scores, weights }, { query, key }) {
  const scores = masked_scores[query];
  const most = Math.max(...scores);
  if (most === -Infinity) return inline(alpha(query, key), "=", n4(weights[query][key]));
  const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  const above = sup(name("e"), row(n4(scores[key]), "−", signed(most)));
  return inline(alpha(query, key), "=", over(above, n4(total)), "=", n4(weights[query][key]));
}

/**
 * @param {Traced} numbers
 * @param {{query: number, key: number}} at
 */
function outputLine({ weights, values, output }, { query }) {
  const terms = values.map((value, index) => row(n4(weights[query][index]), short(value, v(index))));
  const parts =
    terms.length <= MOST_TERMS
      ? between(terms, "+")
      : [sum(name("j")), sub(name("α"), name("j")), sub(vector("v", "is-value"), name("j"))];
  return inline(sub(vector("o", "is-value"), number(String(query))), "=", ...parts, "=", vectorOf(output[query]));
}

/** A value by its numbers where they are few, else by its name. @param {number[]} value @param {Element} letter */
function short(value, letter) {
  return value.length <= 2 ? row("·", value.length === 1 ? signed(value[0]) : vectorOf(value)) : letter;
}

/**
 * The chosen query's row of every stage: a line for each key.
 * @param {Traced} numbers
 * @param {{query: number, key: number}} at
 * @param {number} before  steps before the scores
 * @returns {import("../frame/concept.js").StepTable}
 */
function tableOf(numbers, { query, key }, before) {
  const parts = numbers.values.map((value, index) => value.map((x) => x * numbers.weights[query][index]));
  const isNamed = (/** @type {number[]} */ row) => row.map((value) => fixed(value, 3)).join(", ");
  return {
    caption: t("Query {query}, every key", { query }),
    columns: [
      { name: t("key"), step: 0 },
      { name: t("score"), step: before + 1 },
      { name: t("scaled"), step: before + 2 },
      { name: t("masked"), step: before + 3 },
      { name: t("weight"), step: before + 4 },
      { name: t("weight × value"), step: before + 5 },
    ],
    rows: numbers.values.map((_, index) => [
      String(index),
      exact(numbers.raw_scores[query][index]),
      exact(numbers.scaled_scores[query][index]),
      exact(numbers.masked_scores[query][index]),
      exact(numbers.weights[query][index]),
      isNamed(parts[index]),
    ]),
    sums: [
      t("sum"),
      "",
      "",
      "",
      fixed(
        numbers.weights[query].reduce((sum, weight) => sum + weight, 0),
        4,
      ),
      isNamed(numbers.output[query]),
    ],
    chosen: key,
  };
}
