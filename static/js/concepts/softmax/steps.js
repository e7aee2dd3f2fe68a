/** Softmax step by step, with the numbers of the chosen score. */

import { t } from "../../base/i18n.js";
import { formula, inline, name, number, over, row, sub, sum, sup } from "../../base/maths/mathml.js";
import { exact, fixed, small } from "../../base/numbers.js";

/** @typedef {import("./state.js").SoftmaxState} SoftmaxState */

/** @typedef {ReturnType<typeof numbersOf>} SoftmaxNumbers */

/** The answer with ∞ as a number, and NaN where it says null. @param {import("./state.js").SoftmaxAnswer} answer */
function numbersOf(answer) {
  const { unstable } = answer;
  return {
    ...answer,
    unstable: {
      ...unstable,
      exponentials: unstable.exponentials.map(Number),
      total: Number(unstable.total),
      weights: unstable.weights.map((weight) => weight ?? NaN),
    },
  };
}

/** A number of any size, short. @param {number} value */
export function said(value) {
  if (Number.isNaN(value)) return t("not a number");
  return Math.abs(value) >= 1e6 && Number.isFinite(value) ? small(value) : exact(value);
}

/** @param {number} value */
const n = (value) => number(said(value));
/** @param {number} index */
const x = (index) => sub(name("x", "is-query"), number(String(index)));
/** @param {number} index */
const w = (index) => sub(name("w"), number(String(index)));
/** @param {Element} exponent */
const e = (exponent) => sup(name("e"), exponent);

/** @typedef {{state: Readonly<SoftmaxState>, numbers: SoftmaxNumbers}} SoftmaxData  `state` within what the answer has */

/** @param {import("../frame/concept.js").Answered<"softmax", SoftmaxState>} data @returns {SoftmaxData} */
export function lookedAt({ state, answer }) {
  return { state, numbers: numbersOf(answer) };
}

/**
 * @param {SoftmaxData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation({ state, numbers }) {
  return {
    formulas: [generalFormula(state), currentFormula(numbers, state.chosen)],
    steps: stepsOf(state, numbers, state.chosen),
    table: null,
  };
}

/** @param {Readonly<SoftmaxState>} state */
function generalFormula({ temperature }) {
  const raised = (/** @type {string} */ index) => {
    const score = sub(name("x", "is-query"), name(index));
    return e(temperature === 1 ? row(score, "−", name("m")) : row("(", score, "−", name("m"), ")", "/", name("T")));
  };
  const maximum = [name("m"), "=", sub(name("max"), name("j")), sub(name("x", "is-query"), name("j"))];
  return formula(sub(name("w"), name("i")), "=", over(raised("i"), row(sum(name("j")), raised("j"))), ",", ...maximum);
}

/**
 * @param {SoftmaxNumbers} numbers
 * @param {number} index
 */
function currentFormula({ stable }, index) {
  return formula(w(index), "=", over(e(n(stable.shifted[index])), n(stable.total)), "=", n(stable.weights[index]));
}

/**
 * @param {Readonly<SoftmaxState>} state
 * @param {SoftmaxNumbers} numbers
 * @param {number} index  the chosen score
 * @returns {import("../frame/concept.js").Step[]}
 */
function stepsOf(state, numbers, index) {
  const { scores, stable, unstable } = numbers;
  const fraction = over(n(unstable.exponentials[index]), n(unstable.total));
  return [
    {
      name: t("Temperature"),
      says: t("Every score is divided by the temperature: small T stretches the differences, large T shrinks them."),
      line: inline(
        x(index),
        "/",
        name("T"),
        "=",
        n(state.scores[index]),
        "/",
        number(String(state.temperature)),
        "=",
        n(scores[index]),
      ),
    },
    {
      name: t("Minus the maximum"),
      says: t("The largest becomes 0 and all others negative, so no e^x exceeds 1."),
      line: inline(
        n(scores[index]),
        "−",
        stable.maximum < 0 ? row("(", n(stable.maximum), ")") : n(stable.maximum),
        "=",
        n(stable.shifted[index]),
      ),
    },
    {
      name: t("Exponential"),
      says: t("Every number becomes positive; equal differences become equal ratios."),
      line: inline(e(n(stable.shifted[index])), "=", n(stable.exponentials[index])),
    },
    {
      name: t("Share"),
      says: t("Divided by the sum, so that all add up to 1. Entropy {entropy} of at most {most}.", {
        entropy: fixed(numbers.entropy, 3),
        most: fixed(Math.log(scores.length), 3),
      }),
      line: inline(w(index), "=", over(n(stable.exponentials[index]), n(stable.total)), "=", n(stable.weights[index])),
    },
    {
      name: t("Without the maximum"),
      says: verdict(numbers),
      line: inline(
        over(e(n(scores[index])), row(sum(name("j")), e(sub(name("x", "is-query"), name("j"))))),
        "=",
        fraction,
        "=",
        n(unstable.weights[index]),
      ),
    },
  ];
}

/** @param {SoftmaxNumbers} numbers */
export function verdict({ unstable, largest_exponent }) {
  const limit = fixed(largest_exponent, 2);
  if (unstable.vanished) return t("Every e^x rounds to 0, and 0 / 0 is not a number.");
  if (unstable.overflowed) {
    return t("A score above {limit}, or the sum, is too large for this data type: ∞, and ∞ / ∞ is not a number.", {
      limit,
    });
  }
  return t("No overflow here: in this data type e^x is finite up to x = {limit}.", { limit });
}
