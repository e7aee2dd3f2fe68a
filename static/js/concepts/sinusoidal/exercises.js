/** Exercises about sinusoidal positions; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { inDegrees, signLost } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").SinusoidalState>[]} */
export function exercises() {
  const DEGREE = Math.PI / 180;
  const encoded = (omega = 10_000 ** (-2 / 4), unit = 1) =>
    [1, omega].flatMap((frequency) => [Math.sin(frequency * unit), Math.cos(frequency * unit)]);
  const pairs = 64 / 2;
  const distance = 103 - 100;
  return [
    {
      id: "sinusoidal-vector",
      question: t("d = 4, base 10,000, sines and cosines side by side. What is the vector of position 1?"),
      labels: ["PE₀", "PE₁", "PE₂", "PE₃"],
      expected: allRounded(encoded(), 4),
      tolerance: 0.0006,
      slips: [
        { values: encoded(10_000 ** (-2 / 4), DEGREE), says: inDegrees() },
        { values: encoded(10_000 ** (-1 / 4)), says: t("That takes 10,000^(−1/4) for ω₁: the exponent is −2i/d.") },
        {
          values: [1, 0, 3, 2].map((position) => encoded()[position]),
          says: t("Sine and cosine have changed places: the sine comes first."),
        },
      ],
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
      expected: [pairs],
      tolerance: 0.001,
      slips: [
        { values: [2 * pairs], says: t("That counts 1 for every number: only each pair, sin² + cos², adds up to 1.") },
        {
          values: [Math.sqrt(pairs)],
          says: t("That is the length: the dot product of a vector with itself is its square."),
        },
        { values: [1], says: t("That is one pair: add up all of them.") },
      ],
      way: [t("Each pair gives sin² + cos² = 1, and there are 32 pairs."), "32 · 1 = 32"],
      state: { view: "similarity", position: 20, other: 20 },
      ...served("sinusoidal", { dim: 64, positions: [7] }, (answer) => [nonNull(answer.similarity)[0][0]]),
    },
    {
      id: "sinusoidal-distance",
      question: t("d = 2, so one pair with ω = 1. What is the cosine similarity of positions 100 and 103?"),
      labels: ["cos"],
      expected: [rounded(Math.cos(distance), 4)],
      tolerance: 0.0006,
      slips: [
        { values: [Math.cos(distance * DEGREE)], says: inDegrees() },
        { values: [-Math.cos(distance)], says: signLost() },
        {
          values: [Math.cos(100) * Math.cos(103)],
          says: t("That is the product of the cosines alone: add that of the sines."),
        },
      ],
      way: [t("Only the distance matters: 3 positions, 3 radians."), "cos 3 = −0.9900"],
      ...served("sinusoidal", { dim: 2, positions: [100, 103] }, (answer) => [nonNull(answer.cosine_similarity)[0][1]]),
    },
  ];
}
