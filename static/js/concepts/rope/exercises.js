/** Exercises about RoPE; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").RopeState>[]} */
export function exercises() {
  const pair = {
    dim: 2,
    pairing: /** @type {const} */ ("interleaved"),
    frequencies: [0.5],
    vector: [1, 0],
    positions: [0, 1, 2],
  };
  return [
    {
      id: "rope-pair",
      question: t("θ = 0.5, q = (1, 0). Where is the pair at position 2?"),
      labels: ["q₀", "q₁"],
      expected: [0.5403, 0.8415],
      tolerance: 0.0006,
      way: ["mθ = 2 · 0.5 = 1", "cos 1 = 0.5403, sin 1 = 0.8415", t("(1, 0) rotated by 1 radian is (cos 1, sin 1).")],
      state: {},
      ...served("rope", pair, (answer) => answer.rotated[2]),
    },
    {
      id: "rope-frequency",
      question: t(
        "d = 128, base b = 10,000; pair i rotates by θ_i = b^(−2i/d) per position. By how many radians does pair 32 rotate?",
      ),
      labels: ["θ₃₂"],
      expected: [0.01],
      tolerance: 0.00005,
      way: ["θ = 10000^(−2 · 32 / 128)", "= 10000^(−0.5) = 1/100"],
      state: { view: "clocks", pair: 32 },
      ...served("rope", { dim: 128, pairing: "half_split", positions: [1] }, (answer) => [answer.frequencies[32]]),
    },
    {
      id: "rope-relative",
      question: t(
        "Two equal vectors of length 1 rotate with θ = 0.5. One is at position 103, the other at 101. What is their score?",
      ),
      labels: ["q·k"],
      expected: [0.5403],
      tolerance: 0.0006,
      way: [t("Only the distance matters: 103 − 101 = 2."), "cos(2 · 0.5) = cos 1 = 0.5403"],
      ...served("rope", { ...pair, positions: [103, 101] }, (answer) => [nonNull(answer.relative_scores)[0][1]]),
    },
    {
      id: "rope-decay",
      question: t(
        "d = 128, so 64 pairs. At distance 0 every pair adds 1, and the partial sums are 1, 2, …, 64. What is their mean?",
      ),
      labels: ["|S|"],
      expected: [32.5],
      tolerance: 0.01,
      way: ["(1 + 2 + … + 64) / 64 = 65 / 2 = 32.5"],
      state: { view: "decay", distance: 0 },
      ...served("rope", { dim: 128, pairing: "half_split", positions: [0], distances: [0] }, (answer) => [
        answer.decay[0],
      ]),
    },
    {
      id: "rope-permutation",
      question: t(
        "d = 4. Weights trained with interleaved pairs (0, 1), (2, 3) are to be used with half-split pairs (0, 2), (1, 3). Which old index goes to indices 0, 1, 2, 3?",
      ),
      labels: ["0", "1", "2", "3"],
      expected: [0, 2, 1, 3],
      tolerance: 0,
      way: [t("The first components of all pairs come first, then the second ones: 0, 2, then 1, 3.")],
      state: { view: "pairing" },
      ...served("rope", { dim: 4, pairing: "half_split", positions: [0] }, (answer) => answer.permutation),
    },
    {
      id: "rope-linear",
      question: t(
        "A model trained on 2,048 positions is extended by linear scaling with factor 4. By how many radians is pair 0 rotated at position 4,096?",
      ),
      labels: [t("radians")],
      expected: [1024],
      tolerance: 0.5,
      way: [
        t(
          "Pair 0 rotates by 1 radian per position. Divided by 4, position 4,096 takes the angle that 1,024 had in training.",
        ),
      ],
      state: { view: "scaling", distance: 200 },
      ...served(
        "rope/scaling",
        { dim: 128, base: 10_000, trained_length: 2048, factor: 4, positions: [4096] },
        (answer) => nonNull(answer.scalings.find((one) => one.kind === "linear")).angles[0].slice(0, 1),
      ),
    },
  ];
}
