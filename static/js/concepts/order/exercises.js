/** Exercises about order; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { withoutItself } from "../../wording/slips.js";
import { startsOf } from "../../base/fields.js";
import { DIM, fields, orderOf, readOutcome, WAYS, wordsOf } from "./state.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").OrderState>[]} */
export function exercises() {
  const start = startsOf(fields);
  const body = {
    words: wordsOf(start),
    permutation: orderOf(start),
    dim: DIM,
    seed: 0,
    precision: /** @type {const} */ ("float64"),
  };
  const outcome = (/** @type {import("./state.js").OrderAnswer} */ answer, /** @type {(typeof WAYS)[number]} */ way) =>
    readOutcome(answer.outcomes[WAYS.indexOf(way)]);
  const readable = (/** @type {number[]} */ weights) => weights.filter((weight) => weight > 0).length;
  const weights = [0.2, 0.5, 0.3];
  const swapped = (/** @type {number} */ a, /** @type {number} */ b) =>
    weights.map((weight, index) => (index === a ? weights[b] : index === b ? weights[a] : weight));
  const sentence = ["the", "dog", "chased", "the", "cat"];
  const read = (/** @type {number} */ position) => position + 1;
  return [
    {
      id: "order-row",
      question: t(
        "Three words, no positions. The first gives the weights 0.2, 0.5, 0.3 to positions 0, 1, 2. Then the words at positions 1 and 2 are swapped. What weights does the first word give to positions 0, 1, 2?",
      ),
      labels: ["α₀", "α₁", "α₂"],
      expected: swapped(1, 2),
      tolerance: 0.001,
      slips: [
        { values: weights, says: t("That leaves the weights at their positions: they move with the words.") },
        { values: swapped(0, 1), says: t("That swaps the first two words: positions are counted from 0.") },
      ],
      way: [
        t("A weight belongs to a word, not to a position: it moves with the word."),
        "(0.2, 0.5, 0.3) → (0.2, 0.3, 0.5)",
      ],
    },
    {
      id: "order-distinct",
      question: t("“the dog chased the cat”, no positions: how many different outputs do the five words have?"),
      labels: [t("outputs")],
      expected: [new Set(sentence).size],
      tolerance: 0,
      slips: [
        {
          values: [sentence.length],
          says: t("One word stands there twice, and without positions nothing tells the two apart."),
        },
        {
          values: [1],
          says: t(
            "Without positions different words still have different queries: only equal words give equal outputs.",
          ),
        },
        { values: [new Set(sentence).size - 1], says: t("“the” has an output as well: count it once.") },
      ],
      way: [
        t("Both “the” have the same vector, so the same query, the same weights and the same output."),
        t("The other three words differ: 4."),
      ],
      state: { word: 0 },
      ...served("order", body, (answer) => [
        new Set(outcome(answer, "none").outputs.map((row) => row.map((value) => value.toFixed(9)).join())).size,
      ]),
    },
    {
      id: "order-causal",
      question: t(
        "A causal mask and no positions. How many words does “dog” attend to in “the dog chased the cat”, and how many in “the cat chased the dog”?",
      ),
      labels: [t("first"), t("second")],
      expected: [read(1), read(4)],
      tolerance: 0,
      slips: [
        { values: [read(1) - 1, read(4) - 1], says: withoutItself() },
        { values: [sentence.length, null], says: t("That is without the mask: a word attends to nothing after it.") },
        {
          values: [sentence.length - 1, sentence.length - 4],
          says: t("That is the mask upside down: a word attends to itself and to what comes before it."),
        },
      ],
      way: [t("It attends to itself and everything before it: two words at position 1, all five at position 4.")],
      state: { way: "causal" },
      ...served("order", body, (answer) => {
        const { weights, permuted_weights: permuted } = outcome(answer, "causal");
        return [readable(weights[1]), readable(permuted[4])];
      }),
    },
  ];
}
