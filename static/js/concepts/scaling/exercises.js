/** Exercises about ÷√d_k; what the server can work out, it does. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { sharesOfScores } from "../../wording/slips.js";
import { rounded } from "../../base/numbers.js";
import { shares, softmax } from "../frame/core/attention.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ScalingState>[]} */
export function exercises() {
  const sizes = [256, 64];
  const spread = (/** @type {number} */ variance) => [variance, Math.sqrt(variance)];
  const scores = [10, 5, 2, 1];
  const largest = (divisor = 1) => softmax(scores.map((score) => score / divisor))[0];
  return [
    {
      id: "scaling-x4",
      question: t(
        "q and k have components from N(0, 1). What are the variance and standard deviation of q·k for d_k = 256 and for 64?",
      ),
      labels: [t("variance, 256"), t("deviation, 256"), t("variance, 64"), t("deviation, 64")],
      expected: sizes.flatMap(spread),
      tolerance: 0.01,
      slips: [
        {
          values: sizes.flatMap((size) => spread(size).reverse()),
          says: t(
            "Variance and deviation have changed places: d_k variances of 1 add up, and the deviation is the root of the sum.",
          ),
        },
        {
          values: sizes.flatMap(() => spread(1)),
          says: t("That is the variance of one product q_i k_i: the dot product adds up d_k of them."),
        },
        {
          values: sizes.flatMap((size) => [null, size ** 2]),
          says: t("The deviation is the root of the variance, not its square."),
        },
      ],
      way: [
        t("Each product q_i k_i has mean 0 and variance 1."),
        t("d_k of them are added: variance d_k, standard deviation √d_k."),
        "√256 = 16, √64 = 8",
      ],
      state: { sizes: [64, 256] },
      ...served("scaling", { d_k: [256, 64], samples: 1 }, (answer) =>
        answer.distributions.flatMap((distribution) => [
          distribution.theory.variance,
          distribution.theory.standard_deviation,
        ]),
      ),
    },
    {
      id: "scaling-x4-scaled",
      after: "scaling-x4",
      question: t("And after dividing by √d_k?"),
      labels: [t("variance, 256"), t("variance, 64")],
      expected: sizes.map((size) => size / Math.sqrt(size) ** 2),
      tolerance: 0.001,
      slips: [
        {
          values: sizes.map((size) => size / Math.sqrt(size)),
          says: t("A variance is divided by the square of what its numbers are divided by: by d_k, not √d_k."),
        },
        {
          values: sizes.map((size) => size / size ** 2),
          says: t("That is the variance after dividing by d_k: divide by √d_k."),
        },
        { values: sizes, says: t("That is the variance before dividing: divide it by d_k.") },
      ],
      way: [t("Dividing by √d_k divides the variance by d_k."), "256 / 256 = 1, 64 / 64 = 1"],
      ...served("scaling", { d_k: [256, 64], samples: 1 }, (answer) =>
        answer.distributions.map((distribution) => distribution.theory.scaled_variance),
      ),
    },
    {
      id: "scaling-saturation",
      question: t("Scores 10, 5, 2, 1. What is the largest weight, and what is it once they are divided by 8?"),
      labels: [t("as they are"), "÷ 8"],
      expected: [rounded(largest(), 5), rounded(largest(8), 4)],
      tolerance: 0.0006,
      slips: [
        { values: [shares(scores)[0], shares(scores)[0]], says: sharesOfScores() },
        {
          values: [null, largest(Math.sqrt(8))],
          says: t("That divides the scores by √8: the question divides them by 8."),
        },
        {
          values: [null, largest() / 8],
          says: t("That divides the weight by 8: divide the scores, then take softmax again."),
        },
      ],
      way: ["e^0, e^−5, e^−8, e^−9: 1 / 1.0072 = 0.99285", "e^0, e^−0.625, e^−1, e^−1.125: 1 / 2.2278 = 0.4489"],
      state: { view: "saturation" },
      ...served("scaling/saturation", { scores: [10, 5, 2, 1], divisor: 8 }, (answer) => [
        answer.unscaled.weights[0],
        answer.scaled.weights[0],
      ]),
    },
  ];
}
