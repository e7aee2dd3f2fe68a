/** Exercises about why attention; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @param {number} count */
const words = (count) => Array.from({ length: count }, (_, index) => `w${index}`);

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").WhyState>[]} */
export function exercises() {
  const share = (/** @type {number} */ count) => 1 / count;
  const left = (/** @type {number} */ steps) => 0.5 ** steps;
  return [
    {
      id: "why-average",
      question: t("A sentence of 10 words is averaged. What share does “cat” have? And if 30 more words are inserted?"),
      labels: [t("10 words"), t("40 words")],
      expected: [share(10), share(10 + 30)],
      tolerance: 0.0005,
      slips: [
        { values: [null, share(30)], says: t("The 30 words are added to the 10: divide 1 by all of them.") },
        {
          values: [10, 10 + 30],
          says: t("That is the number of words: the share of one of them is 1 divided by it."),
        },
      ],
      way: ["1/10 = 0.1", "1/40 = 0.025"],
      state: { step: 1 },
      ...served("why", { words: words(40), reader: 39, wanted: 0, gains: [0.9], dim: 32, seed: 0 }, (answer) => [
        4 * answer.average[0],
        answer.average[0],
      ]),
    },
    {
      id: "why-fading",
      question: t(
        "W halves every length (gain 0.5) and the slope of tanh is at most 1. Six steps later, what fraction of a word's influence is left at most?",
      ),
      labels: [t("fraction")],
      expected: [left(6)],
      tolerance: 0.0005,
      slips: [
        { values: [left(5)], says: t("That is what is left after 5 steps: there is one more.") },
        { values: [left(7)], says: t("That is what is left after 7 steps: one too many.") },
        {
          values: [0.5 * 6],
          says: t(
            "That multiplies the gain by the number of steps: each step multiplies what is left, so take a power.",
          ),
        },
      ],
      way: [t("Each step multiplies by at most 0.5."), "0.5⁶ = 1/64 = 0.0156"],
      state: { view: "distance", gain: 0.5, step: 3 },
      ...served("why", { words: words(7), reader: 6, wanted: 0, gains: [0.5], dim: 32, seed: 0 }, (answer) => [
        answer.recurrent[0].bounds[0] / answer.recurrent[0].bounds[6],
      ]),
    },
    {
      id: "why-steps",
      question: t(
        "A text of 40 words. How many steps lie between its first and its last word in a recurrent network? And how many pairs of words does attention compare, each word with every word?",
      ),
      labels: [t("steps, first word to last"), t("pairs compared")],
      expected: [40 - 1, 40 * 40],
      tolerance: 0,
      slips: [
        { values: [40, null], says: t("That counts the words: between them lies one step fewer.") },
        {
          values: [null, (40 * 39) / 2],
          says: t(
            "That counts each pair once and no word with itself: attention compares in both directions, and each word with itself.",
          ),
        },
        { values: [null, 40 * 39], says: t("That leaves out each word compared with itself.") },
      ],
      way: ["40 − 1 = 39", "40 · 40 = 1600"],
      state: { view: "distance", inserted: 30 },
      ...served("why", { words: words(40), reader: 39, wanted: 0, gains: [0.9], dim: 32, seed: 0 }, ({ effort }) => [
        effort.recurrent_path,
        effort.compared_pairs,
      ]),
    },
  ];
}
