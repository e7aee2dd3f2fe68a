/** The steps of ÷√d_k, with the numbers that were drawn. */

import { furtherAnswer } from "../frame/further_answer.js";
import { t } from "../../base/i18n.js";
import { bracket, inline, name, number, over, root, sub } from "../../base/maths/mathml.js";
import { formulas } from "./formulas.js";
import { exact, fixed } from "../../base/numbers.js";

/** @typedef {import("./state.js").ScalingData} ScalingData */
/** @typedef {import("../frame/concept.js").Step} Step */

const dk = () => sub(name("d"), name("k"));
const Var = () => name("Var");
/** @param {number} value @param {number} [digits] */
const n = (value, digits = 3) => number(fixed(value, digits));

/**
 * @param {ScalingData} data
 * @returns {import("../frame/concept.js").Scene}
 */
export function calculation(data) {
  return { formulas: formulas(data), ...SCENES[data.state.view](data) };
}

/** @type {Record<string, (data: ScalingData) => {steps: Step[], table: import("../frame/concept.js").StepTable | null}>} */
const SCENES = {
  distributions: ({ answer }) => ({ steps: distributions(answer), table: table(answer) }),
  size: ({ answer, others }) => ({ steps: size(answer, furtherAnswer(others, "panels")), table: null }),
  saturation: ({ others }) => ({ steps: saturation(furtherAnswer(others, "unscaled")), table: null }),
  panels: ({ others }) => ({ steps: panels(furtherAnswer(others, "panels")), table: null }),
  growth: ({ others }) => ({ steps: growth(furtherAnswer(others, "points")), table: null }),
};

/** @param {import("./state.js").ScalingAnswer} answer */
function distributions({ distributions: list }) {
  const last = list[list.length - 1];
  return [
    {
      name: t("Each product"),
      says: t("The variance of a product of two independent numbers of mean 0 is the product of their variances."),
      line: inline(
        Var(),
        bracket(sub(name("q"), name("i")), sub(name("k"), name("i"))),
        "=",
        n(last.theory.component_variance, 5),
        "·",
        n(last.theory.component_variance, 5),
        "=",
        n(last.theory.component_variance ** 2, 4),
      ),
    },
    {
      name: t("Their sum"),
      says: t("d_k = {d}: expected {expected}, measured {measured}.", {
        d: last.d_k,
        expected: fixed(last.theory.variance, 2),
        measured: fixed(last.raw.variance, 2),
      }),
      line: inline(
        name(String(last.d_k)),
        "·",
        n(last.theory.component_variance, 5),
        "·",
        n(last.theory.component_variance, 5),
        "=",
        n(last.theory.variance, 2),
      ),
    },
    {
      name: t("Divided"),
      says: t("By √{d}: expected {expected}, measured {measured}.", {
        d: last.d_k,
        expected: fixed(last.theory.scaled_variance, 4),
        measured: fixed(last.scaled.variance, 4),
      }),
      line: inline(over(n(last.raw.variance, 2), number(String(last.d_k))), "=", n(last.scaled.variance, 4)),
    },
  ];
}

/** @param {import("./state.js").ScalingAnswer} answer */
function table({ distributions: list }) {
  return {
    caption: t("Expected and measured"),
    columns: [
      { name: "d_k", step: 0 },
      { name: t("expected variance"), step: 2 },
      { name: t("measured"), step: 2 },
      { name: t("expected, scaled"), step: 3 },
      { name: t("measured, scaled"), step: 3 },
    ],
    rows: list.map((distribution) => [
      String(distribution.d_k),
      fixed(distribution.theory.variance, 3),
      fixed(distribution.raw.variance, 3),
      fixed(distribution.theory.scaled_variance, 4),
      fixed(distribution.scaled.variance, 4),
    ]),
    sums: ["", "", "", "", ""],
    chosen: -1,
  };
}

/** @param {import("../../api/types.js").AnswerTo<"scaling/saturation"> | undefined} further */
function saturation(further) {
  if (!further) return [];
  const { unscaled, scaled, divisor } = further;
  const weights = (/** @type {number[]} */ list) =>
    list.flatMap((value, index) => (index ? [",", n(value, 5)] : [n(value, 5)]));
  return [
    {
      name: t("As they are"),
      says: t("Entropy {entropy}. Frobenius norm of ∂w/∂z, the derivatives of the weights: {gradient}.", {
        entropy: fixed(unscaled.entropy, 4),
        gradient: exact(unscaled.gradient_norm),
      }),
      line: inline(...weights(unscaled.weights)),
    },
    {
      name: t("Divided"),
      says: t("By {divisor}: entropy {entropy}, Frobenius norm of ∂w/∂z {gradient}.", {
        divisor: fixed(divisor, 2),
        entropy: fixed(scaled.entropy, 4),
        gradient: exact(scaled.gradient_norm),
      }),
      line: inline(...weights(scaled.weights)),
    },
  ];
}

/**
 * @param {import("./state.js").ScalingAnswer} answer
 * @param {import("../../api/types.js").AnswerTo<"scaling/panels"> | undefined} further
 * @returns {Step[]}
 */
function size({ distributions: [{ d_k, raw, theory }] }, further) {
  if (!further) return [];
  const [unscaled, scaled] = further.panels;
  const largest = (/** @type {typeof unscaled} */ panel) =>
    inline(name("max"), name("w"), "=", n(Math.max(...panel.weights), 4));
  const deviation = { expected: fixed(theory.standard_deviation, 2), measured: fixed(raw.standard_deviation, 2) };
  return [
    {
      name: t("Scores"),
      says: t("Standard deviation: expected {expected}, measured {measured}.", deviation),
      line: inline(root(dk()), "=", root(number(String(d_k))), "=", n(theory.standard_deviation, 2)),
    },
    {
      name: t("Softmax"),
      says: t("Entropy {entropy} of at most {most}.", {
        entropy: fixed(unscaled.entropy, 3),
        most: fixed(Math.log(unscaled.weights.length), 3),
      }),
      line: largest(unscaled),
    },
    {
      name: t("Divided"),
      says: t("Entropy {entropy} of at most {most}.", {
        entropy: fixed(scaled.entropy, 3),
        most: fixed(Math.log(scaled.weights.length), 3),
      }),
      line: largest(scaled),
    },
  ];
}

/** @param {import("../../api/types.js").AnswerTo<"scaling/panels"> | undefined} found */
function panels({ panels: list } = { panels: [] }) {
  return list.map((panel) => ({
    name: panel.is_scaled ? `d = ${panel.dim}, ÷√d` : `d = ${panel.dim}`,
    says: t("Entropy {entropy}, largest weight {largest}.", {
      entropy: fixed(panel.entropy, 3),
      largest: fixed(Math.max(...panel.weights), 3),
    }),
    line: inline(name("H"), "=", n(panel.entropy)),
  }));
}

/** @param {import("../../api/types.js").AnswerTo<"scaling/growth"> | undefined} found */
function growth({ points } = { points: [] }) {
  return points.map((point) => ({
    name: `d_k = ${point.d_k}`,
    says: t("Mean entropy {raw}, scaled {scaled}. Below, the mean Frobenius norm of ∂w/∂z, without and with scaling.", {
      raw: fixed(point.entropy, 3),
      scaled: fixed(point.scaled_entropy, 3),
    }),
    line: inline(n(point.gradient_norm, 4), "→", n(point.scaled_gradient_norm, 4)),
  }));
}
