/** The circle's formula and its calculation, step by step, with the numbers of the chosen query and key. */

import { t } from "../../base/i18n.js";
import { length } from "../frame/core/attention.js";
import {
  formula,
  inline,
  bracket,
  name,
  number,
  over,
  root,
  row,
  size,
  sub,
  sum,
  sup,
  vector,
} from "../../base/maths/mathml.js";
import { fixed } from "../../base/numbers.js";
import { turnOf } from "./numbers.js";

/** @typedef {import("./numbers.js").CircleNumbers} CircleNumbers */
/** @typedef {import("./state.js").CircleState} CircleState */
/** @typedef {import("../frame/concept.js").Step} Step */

/** @param {number} value */
const n4 = (value) => number(fixed(value, 4));
/** @param {number} value */
const n3 = (value) => number(tidy(value, 3));
/** @param {number} value  as short as it can be said */
const short = (value) => number(String(Math.round(value * 1e4) / 1e4).replace("-", "−"));
/** A negative number in brackets, after a sign. @param {number} value */
const signed = (value) => (value < 0 ? bracket(n4(value)) : n4(value));
/** @param {readonly number[]} point */
const pair = ([x, y]) => bracket(n3(x), ",", n3(y));

/** Without a minus sign if it rounds to 0. @param {number} value @param {number} digits */
function tidy(value, digits) {
  return fixed(Math.abs(value) < 0.5 / 10 ** digits ? 0 : value, digits);
}

/** @param {string | number} index */
const index_ = (index) => (typeof index === "number" || /^\d+$/.test(index) ? number(String(index)) : name(index));
/** @param {string | number} index */
const q = (index) => sub(vector("q", "is-query"), index_(index));
/** @param {string | number} index */
const k = (index) => sub(vector("k", "is-key"), index_(index));
/** @param {string | number} index */
const v = (index) => sub(vector("v", "is-value"), index_(index));
/** @param {string | number} index */
const alpha = (index) => sub(name("α"), index_(index));

/**
 * @param {import("./numbers.js").CircleData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, numbers }) {
  return {
    formulas: [generalFormula(), scoreFormula(state), currentFormula(state, numbers)],
    steps: stepsOf(state, numbers),
    table: tableOf(state, numbers),
  };
}

/** @param {import("./numbers.js").CircleData} data */
export function entropySays({ state, numbers }) {
  return t("entropy {entropy} of at most {most}", {
    entropy: fixed(numbers.entropy[state.query], 3),
    most: fixed(Math.log(state.keyAngles.length), 3),
  });
}

/** The whole computation in letters, as it is computed: with the largest score of the row subtracted. */
function generalFormula() {
  const raised = (/** @type {string} */ index) => sup(name("e"), row(sub(name("s"), name(index)), "−", name("m")));
  return formula(
    vector("o", "is-value"),
    "=",
    sum(name("j")),
    alpha("j"),
    v("j"),
    ",",
    alpha("j"),
    "=",
    over(raised("j"), row(sum(name("l")), raised("l"))),
  );
}

/**
 * What is raised: the score, scaled, and the largest of them.
 * @param {Readonly<CircleState>} state
 */
function scoreFormula({ mechanism, temperature }) {
  const score = scoreOf(mechanism, "", "j");
  const below = mechanism === "scaled_dot" ? [root(number("2"))] : [];
  const parts = temperature === 1 ? below : [...below, name("T")];
  const scaled = parts.length === 0 ? score : over(score, row(...parts));
  const maximum = [name("m"), "=", sub(name("max"), name("l")), sub(name("s"), name("l"))];
  return formula(sub(name("s"), name("j")), "=", scaled, ",", ...maximum);
}

/**
 * @param {import("../frame/core/attention.js").Mechanism} mechanism
 * @param {string} query
 * @param {string} key
 */
function scoreOf(mechanism, query, key) {
  const vectorSign = query === "" ? vector("q", "is-query") : q(query);
  if (mechanism === "additive") {
    const inside = row(sub(name("W"), name("q")), vectorSign, "+", sub(name("W"), name("k")), k(key), "+", vector("b"));
    return row(sup(vector("w"), name("⊤")), name("tanh"), bracket(inside));
  }
  if (mechanism === "cosine") return row(name("cos"), bracket(vectorSign, ",", k(key)));
  return row(vectorSign, "·", k(key));
}

/**
 * The same with the numbers of the chosen query and key.
 * @param {Readonly<CircleState>} state
 * @param {CircleNumbers} numbers
 */
function currentFormula({ query, key }, numbers) {
  const total = numbers.exponentials[query].reduce((sum, value) => sum + value, 0);
  const most = Math.max(...numbers.scaledScores[query]);
  return formula(
    alpha(key),
    "=",
    over(sup(name("e"), row(n4(numbers.scaledScores[query][key]), "−", signed(most))), n4(total)),
    "=",
    n4(numbers.weights[query][key]),
    ",",
    sub(vector("o", "is-value"), index_(query)),
    "=",
    pair(numbers.outputs[query]),
  );
}

/**
 * @param {Readonly<CircleState>} state
 * @param {CircleNumbers} numbers
 * @returns {Step[]}
 */
function stepsOf(state, numbers) {
  const { query, key, temperature } = state;
  const score = numbers.scores[query][key];
  const scaled = numbers.scaledScores[query][key];
  const most = Math.max(...numbers.scaledScores[query]);
  const exponential = numbers.exponentials[query][key];
  const total = numbers.exponentials[query].reduce((sum, value) => sum + value, 0);
  const weight = numbers.weights[query][key];
  return [
    {
      name: t("Score"),
      says: t("How well query {query} and key {key} match.", { query, key }),
      line: inline(
        scoreOf(state.mechanism, String(query), String(key)),
        "=",
        ...scoreNumbers(state, numbers),
        n4(score),
      ),
    },
    {
      name: t("Scale"),
      says:
        state.mechanism === "scaled_dot"
          ? t("Divided by the square root of the dimension, and by the temperature.")
          : t("Divided by the temperature: a low one makes differences larger, a high one smaller."),
      line: inline(
        n4(score),
        "÷",
        ...(state.mechanism === "scaled_dot" ? [root(number("2")), "÷"] : []),
        short(temperature),
        "=",
        n4(scaled),
      ),
    },
    {
      name: t("Exponential"),
      says: t(
        "Every number becomes positive. The row's largest, {most}, is subtracted first, so that nothing overflows.",
        {
          most: fixed(most, 4),
        },
      ),
      line: inline(sup(name("e"), row(n4(scaled), "−", signed(most))), "=", n4(exponential)),
    },
    {
      name: t("Weight"),
      says: t("Divided by the sum of the row, so that the weights add up to 1."),
      line: inline(alpha(key), "=", over(n4(exponential), n4(total)), "=", n4(weight)),
    },
    outputStep(numbers, query, key),
  ];
}

/** @param {CircleNumbers} numbers @param {number} query @param {number} key @returns {Step} */
function outputStep(numbers, query, key) {
  const [weight, value] = [numbers.weights[query][key], numbers.values[key]];
  return {
    name: t("Output"),
    says: t("The output is the sum of the values, each multiplied by its weight."),
    line: inline(
      alpha(key),
      v(key),
      "=",
      n4(weight),
      "·",
      pair(value),
      "=",
      pair(value.map((x) => x * weight)),
      ",",
      sum(name("j")),
      alpha("j"),
      v("j"),
      "=",
      pair(numbers.outputs[query]),
    ),
  };
}

/**
 * Where the score comes from: lengths and the angle between, as far as the mechanism sees them.
 * @param {Readonly<CircleState>} state
 * @param {CircleNumbers} numbers
 */
function scoreNumbers(state, { queries, keys }) {
  if (state.mechanism === "additive") return [];
  const { query, key } = state;
  const angle = between(
    state.queryAngles[query] + turnOf(state, "query", query),
    state.keyAngles[key] + turnOf(state, "key", key),
  );
  const cos = row(name("cos"), number(`${fixed(angle, angle % 1 === 0 ? 0 : 1)}°`));
  if (state.mechanism === "cosine") return [cos, "="];
  const lengths = [short(length(queries[query])), "·", short(length(keys[key])), "·"];
  return [size(q(query)), size(k(key)), cos, "=", ...lengths, signed(Math.cos((angle * Math.PI) / 180)), "="];
}

/**
 * @param {number} a  degrees
 * @param {number} b
 * @returns {number} 0 … 180
 */
function between(a, b) {
  const apart = (((a - b) % 360) + 360) % 360;
  return Math.round(Math.min(apart, 360 - apart) * 1e6) / 1e6;
}

/**
 * The table of the chosen query: a row for each key, a column for each step.
 * @param {Readonly<CircleState>} state
 * @param {CircleNumbers} numbers
 */
function tableOf(state, numbers) {
  const { query } = state;
  return {
    caption: t("Query {query}, every key", { query }),
    // The step that makes each column; 0 is given.
    columns: [
      { name: t("key"), step: 0 },
      { name: t("angle"), step: 0 },
      { name: t("length"), step: 0 },
      { name: t("score"), step: 1 },
      { name: t("scaled"), step: 2 },
      { name: t("exponential"), step: 3 },
      { name: t("weight"), step: 4 },
      { name: t("weight × value"), step: 5 },
    ],
    rows: numbers.keys.map((_, key) => [
      String(key),
      `${fixed(state.keyAngles[key], state.keyAngles[key] % 1 === 0 ? 0 : 1)}°`,
      fixed(state.keyLengths[key], 2),
      fixed(numbers.scores[query][key], 4),
      fixed(numbers.scaledScores[query][key], 4),
      fixed(numbers.exponentials[query][key], 4),
      fixed(numbers.weights[query][key], 4),
      numbers.values[key].map((value) => tidy(value * numbers.weights[query][key], 3)).join(", "),
    ]),
    sums: [
      t("sum"),
      "",
      "",
      "",
      "",
      fixed(
        numbers.exponentials[query].reduce((sum, value) => sum + value, 0),
        4,
      ),
      fixed(
        numbers.weights[query].reduce((sum, value) => sum + value, 0),
        4,
      ),
      numbers.outputs[query].map((value) => tidy(value, 3)).join(", "),
    ],
    chosen: state.key,
  };
}
