/** The softmax page as data: its fields, the call that a state makes, and its presets. */

import { choice, number, numbers, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

const MOST_SCORES = 12;
export const PRECISIONS = /** @type {const} */ (["float64", "float32", "bfloat16", "float16"]);

export const fields = {
  scores: numbers([2.1, 4.5, 1.8, 3.2], { least: -2000, most: 2000, count: MOST_SCORES }),
  temperature: number(1, 0.01, 100),
  precision: choice(PRECISIONS),
  shift: number(0, -1000, 1000),
  chosen: whole(1, 0, MOST_SCORES - 1),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} SoftmaxState */
/** @typedef {import("../../api/types.js").AnswerTo<"softmax">} SoftmaxAnswer */

/**
 * The body of `POST /api/softmax`.
 * @param {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} state
 */
export function request({ scores, temperature, precision, shift }) {
  return {
    scores,
    ...(precision === "float64" ? {} : { precision }),
    ...(temperature === 1 ? {} : { temperature }),
    ...(shift === 0 ? {} : { shift }),
  };
}

/** @param {Readonly<SoftmaxState>} state @param {SoftmaxAnswer} answer */
export function within({ chosen }, { scores }) {
  return { chosen: Math.min(chosen, scores.length - 1) };
}

/** @returns {import("../frame/concept.js").Preset<SoftmaxState>[]} */
export function presets() {
  return [
    {
      name: t("Four scores"),
      notice: t("2.1, 4.5, 1.8, 3.2 become 0.0634, 0.6991, 0.0470, 0.1905: the largest takes most, none becomes 0."),
      state: {},
    },
    {
      name: t("Shifted by 100"),
      notice: t("100 added to every score: e¹⁰⁰ appears in numerator and denominator and cancels. No weight changes."),
      state: { shift: 100 },
    },
    {
      name: t("Overflow in float32"),
      notice: t(
        "e⁹⁰ is beyond the largest float32, 3.4 × 10³⁸: ∞ / ∞ is not a number. Subtracting the maximum avoids this.",
      ),
      state: { scores: [90, 88, 1], precision: "float32", chosen: 0 },
    },
    {
      name: t("Overflow in float16"),
      notice: t("Half precision ends at 65,504, so a score of 12 is already too much for a plain e^x."),
      state: { scores: [12, 11, 3, 1], precision: "float16", chosen: 0 },
    },
    {
      name: t("All vanish"),
      notice: t(
        "Far below 0 every e^x rounds to 0 in float16, and 0 / 0 is not a number. After subtracting the maximum, the largest is e⁰ = 1.",
      ),
      state: { scores: [-20, -18, -19], precision: "float16" },
    },
    {
      name: t("Cold"),
      notice: t("At temperature 0.1 the largest score takes almost everything: as T → 0 softmax becomes an argmax."),
      state: { temperature: 0.1 },
    },
    {
      name: t("Hot"),
      notice: t("At temperature 50 each of the four gets about a quarter: as T → ∞ the scores no longer matter."),
      state: { temperature: 50 },
    },
  ];
}
