/** Exercises about ALiBi; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").AlibiState>[]} */
export function exercises() {
  return [
    {
      id: "alibi-sixteen",
      question: t("16 heads. What are the slopes of the first, the second and the last head?"),
      labels: ["m₀", "m₁", "m₁₅"],
      expected: [0.7071, 0.5, 0.0039],
      tolerance: 0.0006,
      way: [
        "2^(−8/16) = 2^(−0.5) = 0.7071",
        "2^(−8 · 2/16) = 2^(−1) = 0.5",
        "2^(−8 · 16/16) = 2^(−8) = 1/256 = 0.0039",
      ],
      state: { heads: 16 },
      ...served("alibi", { heads: 16, seq_len: 1 }, ({ slopes }) => [slopes[0], slopes[1], slopes[15]]),
    },
    {
      id: "alibi-twelve",
      question: t("12 heads: the first 8 have the slopes of 8 heads. What slopes have the other four?"),
      labels: ["m₈", "m₉", "m₁₀", "m₁₁"],
      expected: [0.70711, 0.35355, 0.17678, 0.08839],
      tolerance: 0.00006,
      way: [
        t("They take every other slope of the 16-head sequence, starting with the first."),
        "2^−0.5 = 0.70711, 2^−1.5 = 0.35355, 2^−2.5 = 0.17678, 2^−3.5 = 0.08839",
      ],
      state: { heads: 12, head: 8 },
      ...served("alibi", { heads: 12, seq_len: 1 }, ({ slopes }) => slopes.slice(8)),
    },
    {
      id: "alibi-bias",
      question: t("Slope ¼, the query at position 7, the key at 3. What is added to the score?"),
      labels: [t("bias")],
      expected: [-1],
      tolerance: 0.001,
      way: ["−¼ · (7 − 3) = −1"],
      state: { head: 1 },
      ...served("alibi", { heads: 8, seq_len: 8 }, ({ bias }) => [bias[1][7][3]]),
    },
    {
      id: "alibi-factor",
      question: t(
        "Slope ½ and equal scores: how many times more weight does a key at the query's own position get than one 4 tokens back?",
      ),
      labels: [t("times")],
      expected: [7.389],
      tolerance: 0.01,
      way: [t("The scores differ by ½ · 4 = 2, and a difference of 2 is a factor of e²."), "e² = 7.389"],
      state: { view: "reach", distance: 4 },
      ...served("alibi", { heads: 8, seq_len: 5 }, ({ bias }) => [Math.exp(bias[0][4][4] - bias[0][4][0])]),
    },
  ];
}
