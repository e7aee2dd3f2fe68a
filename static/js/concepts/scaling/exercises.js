/** Exercises about ÷√d_k; what the server can work out, it does. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ScalingState>[]} */
export function exercises() {
  return [
    {
      id: "scaling-x4",
      question: t(
        "q and k have components from N(0, 1). What are the variance and standard deviation of q·k for d_k = 256 and for 64?",
      ),
      labels: [t("variance, 256"), t("deviation, 256"), t("variance, 64"), t("deviation, 64")],
      expected: [256, 16, 64, 8],
      tolerance: 0.01,
      way: [
        t("Each product q_i k_i has mean 0 and variance 1."),
        t("d_k of them are added: variance d_k, standard deviation √d_k."),
        "√256 = 16, √64 = 8",
      ],
      state: { sizes: [64, 256] },
      ...served("scaling", { d_k: [256, 64], samples: 1 }, (answer) =>
        answer.distributions.flatMap((one) => [one.theory.variance, one.theory.standard_deviation]),
      ),
    },
    {
      id: "scaling-x4-scaled",
      question: t("And after dividing by √d_k?"),
      labels: [t("variance, 256"), t("variance, 64")],
      expected: [1, 1],
      tolerance: 0.001,
      way: [t("Dividing by √d_k divides the variance by d_k."), "256 / 256 = 1, 64 / 64 = 1"],
      ...served("scaling", { d_k: [256, 64], samples: 1 }, (answer) =>
        answer.distributions.map((one) => one.theory.scaled_variance),
      ),
    },
    {
      id: "scaling-saturation",
      question: t("Scores 10, 5, 2, 1. What is the largest weight, and what is it once they are divided by 8?"),
      labels: [t("as they are"), "÷ 8"],
      expected: [0.99285, 0.4489],
      tolerance: 0.0006,
      way: ["e^0, e^−5, e^−8, e^−9: 1 / 1.0072 = 0.99285", "e^0, e^−0.625, e^−1, e^−1.125: 1 / 2.2278 = 0.4489"],
      state: { view: "saturation" },
      ...served("scaling/saturation", { scores: [10, 5, 2, 1], divisor: 8 }, (answer) => [
        answer.unscaled.weights[0],
        answer.scaled.weights[0],
      ]),
    },
  ];
}
