/** The three readings of a pair of points, step by step. */

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

/** @typedef {import("./state.js").KernelState} KernelState */

/** @param {number} value */
const n = (value) => number(exact(value));
/** @param {number} value */
const signed = (value) => (value < 0 ? bracket(n(value)) : n(value));
/** @param {string | number} index */
const x = (index) => sub(vector("x"), typeof index === "number" ? number(String(index)) : name(index));
const transpose = () => name("⊤");

/** @param {number[]} point */
const pair = (point) => bracket(number(fixed(point[0], 2)), ",", number(fixed(point[1], 2)));

/**
 * @param {import("./state.js").KernelData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, answer }) {
  return { formulas: formulas(), steps: stepsOf(state, answer, state), table: tableOf(answer, state) };
}

/** What the three share, and each one's own similarity. @returns {Element[]} */
function formulas() {
  const similarity = (/** @type {string} */ j) => row(name("s"), bracket(x("i"), ",", x(j)));
  const scores = row(sup(bracket(sub(name("W"), name("q")), x("i")), transpose()), sub(name("W"), name("k")), x("j"));
  const distance = sup(row("‖", x("i"), "−", x("j"), "‖"), number("2"));
  return [
    formula(
      sub(name("w"), row(name("i"), name("j"))),
      "=",
      over(similarity("j"), row(sum(name("l")), similarity("l"))),
    ),
    formula(sub(name("s"), name("RBF")), "=", sup(name("e"), row("−", name("γ"), distance))),
    formula(sub(name("s"), name("poly")), "=", sup(bracket(x("i"), "·", x("j"), "+", name("c")), name("p"))),
    formula(sub(name("s"), name("att")), "=", sup(name("e"), row(scores, "/", root(name("d"))))),
  ];
}

/**
 * @param {Readonly<KernelState>} state
 * @param {import("./state.js").KernelAnswer} answer  of `POST /api/kernel`
 * @param {{query: number, key: number}} at
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(state, answer, { query, key }) {
  const { points, gamma, squared_distances, rbf, polynomial, attention } = answer;
  const [first, other] = [points[query], points[key]];
  const dot = first[0] * other[0] + first[1] * other[1];
  const weightOf = (/** @type {{weights: number[][]}} */ { weights }) => weightPart(weights, { query, key });
  return [
    {
      name: t("Distance"),
      says: t("Points {query} and {key}: how a kernel compares them is fixed in advance.", { query, key }),
      line: inline(
        sup(row("‖", pair(first), "−", pair(other), "‖"), number("2")),
        "=",
        n(squared_distances[query][key]),
      ),
    },
    {
      name: "RBF",
      says: t("Near points count, far points do not; γ sets what near means."),
      line: inline(
        sup(name("e"), row("−", n(gamma), "·", n(squared_distances[query][key]))),
        "=",
        n(Math.exp(-gamma * squared_distances[query][key])),
        ...weightOf(rbf),
      ),
    },
    {
      name: t("Polynomial"),
      says: polynomial.has_negative_weights
        ? t("Some of these are negative, so they are no longer shares.")
        : t("The dot product of all products of coordinates up to degree {degree}.", { degree: state.degree }),
      line: inline(
        sup(bracket(n(dot), "+", signed(state.constant)), number(String(state.degree))),
        "=",
        n((dot + state.constant) ** state.degree),
        ...weightOf(polynomial),
      ),
    },
    attentionStep(answer, { query, key }),
    {
      name: t("Read"),
      says: t("Each way mixes the same points with its own weights."),
      line: inline(
        name("RBF"),
        pair(rbf.output[query]),
        ",",
        name("poly"),
        pair(polynomial.output[query]),
        ",",
        name("att"),
        pair(attention.output[query]),
      ),
    },
  ];
}

/** @param {import("./state.js").KernelAnswer} answer @param {{query: number, key: number}} at */
function attentionStep({ attention }, { query, key }) {
  const raw = attention.raw_scores[query][key];
  return {
    name: t("Attention"),
    says: t("Both points go through learned matrices first: W decides what counts as similar."),
    line: inline(
      pair(attention.queries[query]),
      "·",
      pair(attention.keys[key]),
      "=",
      n(raw),
      ",",
      sup(name("e"), row(n(raw), "/", root(number("2")))),
      "=",
      n(Math.exp(attention.scaled_scores[query][key])),
      ...weightPart(attention.weights, { query, key }),
    ),
  };
}

/** @param {number[][]} weights @param {{query: number, key: number}} at */
function weightPart(weights, { query, key }) {
  return [",", sub(name("w"), number(`${query}${key}`)), "=", n(weights[query][key])];
}

/**
 * @param {import("./state.js").KernelAnswer} answer
 * @param {{query: number, key: number}} at
 * @returns {import("../frame/concept.js").StepTable}
 */
function tableOf({ squared_distances, rbf, polynomial, attention, points }, { query, key }) {
  const total = (/** @type {number[]} */ list) => exact(list.reduce((sum, value) => sum + value, 0));
  const weights = [rbf, polynomial, attention].map((reading) => reading.weights[query]);
  return {
    caption: t("Weights of point {query} over all points", { query }),
    columns: [
      { name: t("point"), step: 0 },
      { name: t("squared distance"), step: 1 },
      { name: t("RBF weight"), step: 2 },
      { name: t("polynomial weight"), step: 3 },
      { name: t("attention score"), step: 4 },
      { name: t("attention weight"), step: 4 },
    ],
    rows: points.map((_, index) => [
      String(index),
      exact(squared_distances[query][index]),
      exact(weights[0][index]),
      exact(weights[1][index]),
      exact(attention.scaled_scores[query][index]),
      exact(weights[2][index]),
    ]),
    sums: [t("sum"), "", total(weights[0]), total(weights[1]), "", total(weights[2])],
    chosen: key,
  };
}
