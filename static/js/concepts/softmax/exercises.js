/** Exercises of the softmax page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { inBits, notNormalised, sharesOfScores } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { entropy, shares, softmax } from "../frame/core/attention.js";
import { startsOf } from "../../base/fields.js";
import { fields, request } from "./state.js";

/**
 * @param {Partial<import("./state.js").SoftmaxState>} patch
 * @param {(answer: import("./state.js").SoftmaxAnswer) => number[]} pick
 */
function figure(patch, pick) {
  const state = startsOf(fields, patch);
  return { state, ...served("softmax", request(state), pick) };
}

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").SoftmaxState>[]} */
export function exercises() {
  const scores = [2.1, 4.5, 1.8, 3.2];
  const largest = 65504;
  const even = softmax(Array.from({ length: 8 }, () => 0));
  return [
    {
      id: "softmax-four",
      question: t("Compute softmax(2.1, 4.5, 1.8, 3.2)."),
      labels: ["w₀", "w₁", "w₂", "w₃"],
      expected: allRounded(softmax(scores), 4),
      tolerance: 0.001,
      slips: [
        { values: scores.map((score) => Math.exp(score - Math.max(...scores))), says: notNormalised() },
        { values: scores.map(Math.exp), says: notNormalised() },
        { values: shares(scores), says: sharesOfScores() },
      ],
      way: [
        t("Minus the maximum 4.5: −2.4, 0, −2.7, −1.3."),
        t("Exponentials: 0.0907, 1, 0.0672, 0.2725, together 1.4305."),
        t("Each divided by 1.4305: 0.0634, 0.6991, 0.0470, 0.1905."),
      ],
      ...figure({}, (answer) => answer.stable.weights),
    },
    {
      id: "softmax-overflow",
      question: t("The largest float16 is 65,504. Above which score does a plain e^x overflow?"),
      labels: ["x"],
      expected: [rounded(Math.log(largest), 2)],
      tolerance: 0.01,
      slips: [
        { values: [Math.log2(largest)], says: inBits() },
        {
          values: [Math.log10(largest)],
          says: t("That is the logarithm to base 10: take the natural one, since softmax takes powers of e."),
        },
        { values: [largest], says: t("That is the largest e^x: the score is its logarithm.") },
      ],
      way: [t("e^x = 65,504 at x = ln 65,504 = 11.09.")],
      ...figure({ scores: [12, 11, 3, 1], precision: "float16", chosen: 0 }, (answer) => [answer.largest_exponent]),
    },
    {
      id: "softmax-hot",
      question: t("Eight scores, temperature towards ∞. Which weight does each get, and what is the entropy in nats?"),
      labels: [t("weight"), t("entropy")],
      expected: [even[0], rounded(entropy(even), 4)],
      tolerance: 0.001,
      slips: [
        { values: [null, entropy(even) / Math.LN2], says: inBits() },
        { values: [1, 0], says: t("That is what happens towards temperature 0: towards ∞ all scores become equal.") },
        { values: [null, entropy(even) / 8], says: t("That is the share of one weight: add up those of all eight.") },
      ],
      way: [
        t("At infinite temperature all scores become 0 and all weights equal: 1 / 8 = 0.125."),
        t("Entropy of eight equal weights: ln 8 = 2.0794."),
      ],
    },
    {
      id: "softmax-cold",
      question: t("Scores 1 and 0. At which temperature does the first weigh ten times as much as the second?"),
      labels: ["T"],
      expected: [rounded(1 / Math.log(10), 4)],
      tolerance: 0.001,
      slips: [
        { values: [Math.log(10)], says: t("That is 1 / T: take the reciprocal.") },
        { values: [1 / Math.log2(10)], says: inBits() },
        {
          values: [1 / 10],
          says: t("The ratio of the weights is not that of the scores over T: it is e to that power."),
        },
      ],
      way: [t("The ratio of two weights is e^(difference / T)."), t("e^(1 / T) = 10 at T = 1 / ln 10 = 0.4343.")],
      // The weights say at which temperature they were made.
      ...figure({ scores: [1, 0], temperature: 0.4343, chosen: 0 }, ({ stable: { weights } }) => [
        1 / Math.log(weights[0] / weights[1]),
      ]),
    },
  ];
}
