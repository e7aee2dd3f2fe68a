/** Exercises about why attention; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @param {number} count */
const words = (count) => Array.from({ length: count }, (_, index) => `w${index}`);

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").WhyState>[]} */
export function exercises() {
  return [
    {
      id: "why-average",
      question: t("A sentence of 10 words is averaged. What share does “cat” have? And if 30 more words are inserted?"),
      labels: [t("10 words"), t("40 words")],
      expected: [0.1, 0.025],
      tolerance: 0.0005,
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
      expected: [0.015625],
      tolerance: 0.0005,
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
      expected: [39, 1600],
      tolerance: 0,
      way: ["40 − 1 = 39", "40 · 40 = 1600"],
      state: { view: "distance", inserted: 30 },
      ...served("why", { words: words(40), reader: 39, wanted: 0, gains: [0.9], dim: 32, seed: 0 }, ({ effort }) => [
        effort.recurrent_path,
        effort.compared_pairs,
      ]),
    },
  ];
}
