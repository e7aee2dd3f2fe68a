/** Exercises about ALiBi; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { allRounded, rounded } from "../../base/numbers.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").AlibiState>[]} */
export function exercises() {
  const slope = (/** @type {number} */ index, heads = 16) => 2 ** ((-8 * index) / heads);
  const asked = [1, 2, 16];
  const others = [0, 1, 2, 3];
  const bias = (/** @type {number} */ distance, m = 1 / 4) => -m * distance;
  return [
    {
      id: "alibi-sixteen",
      question: t("16 heads. What are the slopes of heads 0, 1 and 15?"),
      labels: ["m₀", "m₁", "m₁₅"],
      expected: allRounded(
        asked.map((index) => slope(index)),
        4,
      ),
      tolerance: 0.0006,
      slips: [
        {
          values: asked.map((index) => slope(index, 8)),
          says: t("Those are the slopes of 8 heads: the exponent of 16 goes down in steps of 8/16."),
        },
        {
          values: asked.map((index) => slope(index - 1)),
          says: t("That begins with a slope of 1: the exponent of head 0 is already −8/16."),
        },
        {
          values: asked.map((index) => 1 / slope(index)),
          says: t("The minus sign in the exponent is missing: slopes are at most 1."),
        },
      ],
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
      expected: allRounded(
        others.map((index) => slope(2 * index + 1)),
        5,
      ),
      tolerance: 0.00006,
      slips: [
        {
          values: others.map((index) => slope(index + 9, 12)),
          says: t("That goes on in steps of 8/12: 12 is no power of two, and the others come from the sequence of 16."),
        },
        {
          values: others.map((index) => slope(index + 1)),
          says: t("Those are the first four of 16 heads: take every other one."),
        },
        {
          values: others.map((index) => slope(2 * index + 2)),
          says: t("Those are slopes that the first 8 heads have already: begin with the first of 16."),
        },
      ],
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
      expected: [bias(7 - 3)],
      tolerance: 0.001,
      slips: [
        { values: [-bias(7 - 3)], says: t("The minus sign is missing: ALiBi lowers the scores of distant keys.") },
        { values: [bias(7 - 3, 1)], says: t("That is the distance alone: multiply it by the slope.") },
        { values: [bias(7 - 3 + 1)], says: t("That is one token too far: the distance is 7 − 3.") },
      ],
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
      expected: [rounded(Math.exp(-bias(4, 1 / 2)), 3)],
      tolerance: 0.01,
      slips: [
        {
          values: [-bias(4, 1 / 2)],
          says: t("That is the difference of the scores: the weights differ by e to its power."),
        },
        { values: [Math.exp(bias(4, 1 / 2))], says: t("That is the other way round: the near key gets more.") },
        { values: [Math.exp(-bias(4, 1))], says: t("The slope is missing: the scores differ by ½ · 4.") },
      ],
      way: [t("The scores differ by ½ · 4 = 2, and a difference of 2 is a factor of e²."), "e² = 7.389"],
      state: { view: "reach", distance: 4 },
      ...served("alibi", { heads: 8, seq_len: 5 }, ({ bias }) => [Math.exp(bias[0][4][4] - bias[0][4][0])]),
    },
  ];
}
