/** Exercises about sinusoidal positions; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").SinusoidalState>[]} */
export function exercises() {
  return [
    {
      id: "sinusoidal-vector",
      question: t("d = 4, base 10,000, sines and cosines side by side. What is the vector of position 1?"),
      labels: ["PE₀", "PE₁", "PE₂", "PE₃"],
      expected: [0.8415, 0.5403, 0.01, 1],
      tolerance: 0.0006,
      way: [
        "ω₀ = 1, ω₁ = 10000^(−2/4) = 0.01",
        "sin 1 = 0.8415, cos 1 = 0.5403",
        "sin 0.01 = 0.0100, cos 0.01 = 0.99995",
      ],
      state: { dim: "4", position: 1, pair: 0, length: 8 },
      ...served("sinusoidal", { dim: 4, positions: [1] }, (answer) => answer.encoding[0]),
    },
    {
      id: "sinusoidal-length",
      question: t("d = 64. What is the dot product of any position's vector with itself?"),
      labels: ["PE·PE"],
      expected: [32],
      tolerance: 0.001,
      way: [t("Each pair gives sin² + cos² = 1, and there are 32 pairs."), "32 · 1 = 32"],
      state: { view: "similarity", position: 20, other: 20 },
      ...served("sinusoidal", { dim: 64, positions: [7] }, (answer) => [nonNull(answer.similarity)[0][0]]),
    },
    {
      id: "sinusoidal-distance",
      question: t("d = 2, so one pair with ω = 1. What is the cosine similarity of positions 100 and 103?"),
      labels: ["cos"],
      expected: [-0.99],
      tolerance: 0.0006,
      way: [t("Only the distance matters: 3 positions, 3 radians."), "cos 3 = −0.9900"],
      ...served("sinusoidal", { dim: 2, positions: [100, 103] }, (answer) => [nonNull(answer.cosine_similarity)[0][1]]),
    },
  ];
}
