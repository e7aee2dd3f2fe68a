/** Exercises about what heads do: a baseline, and attention between words. */

import { t } from "../../base/i18n.js";
import { rounded } from "../../base/numbers.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").RolesState>[]} */
export function exercises() {
  const offsets = [2, 2, 3, 2, 5, 1];
  const hitsOfHead = 5;
  const hits = Math.max(...offsets.map((offset) => offsets.filter((other) => other === offset).length));
  const mean = offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length;
  /** What both tokens of “unhappily” give to each token of the two words. */
  const [runner, quickly] = [
    [[0.2], [0.6]],
    [
      [0.3, 0.1],
      [0.0, 0.1],
    ],
  ];
  const total = (/** @type {number[][]} */ rows) => rows.flat().reduce((sum, weight) => sum + weight, 0);
  const fromWord = (/** @type {number[][]} */ rows) => total(rows) / rows.length;
  return [
    {
      id: "head-roles-baseline",
      question: t(
        "In six sentences the object stands 2, 2, 3, 2, 5 and 1 words after its verb. A head finds the verb in five of them. What share does the best fixed offset find, and how far above it is the head?",
      ),
      labels: [t("best fixed offset"), t("head, above it")],
      expected: [hits / offsets.length, rounded((hitsOfHead - hits) / offsets.length, 4)],
      tolerance: 0.005,
      slips: [
        { values: [hits, hitsOfHead - hits], says: t("Those are sentences: divide by all six.") },
        {
          values: [mean, null],
          says: t("That is the mean offset: the share of sentences with the commonest one is asked for."),
        },
        {
          values: [null, hitsOfHead / offsets.length],
          says: t("That is the head's own share: subtract what the best fixed offset finds."),
        },
      ],
      way: [t("The best offset is 2 words before: right in 3 of 6."), "3/6 = 0.5", "5/6 − 3/6 = 0.3333"],
      state: { relation: "obj.dependent_to_head", step: 5 },
    },
    {
      id: "head-roles-words",
      question: t(
        "“unhappily” is two tokens. The first gives “runner” (one token) 0.2 and “quickly” (two tokens) 0.3 and 0.1; the second gives them 0.6, 0.0 and 0.1. How much does the word “unhappily” give to each?",
      ),
      labels: [t("to “runner”"), t("to “quickly”")],
      expected: [runner, quickly].map(fromWord),
      tolerance: 0.005,
      slips: [
        {
          values: [runner, quickly].map(total),
          says: t("That adds the two tokens of “unhappily”: a word gives the mean of what its tokens give."),
        },
        {
          values: [runner, quickly].map((rows) => total(rows) / rows.flat().length),
          says: t(
            "That takes the mean over the tokens of “quickly” too: what a word receives adds up over its tokens.",
          ),
        },
        {
          values: [runner, quickly].map((rows) => fromWord([rows[0]])),
          says: t("That is what the first token of “unhappily” gives: take the mean of both."),
        },
      ],
      way: ["(0.2 + 0.6) / 2 = 0.4", "((0.3 + 0.1) + (0.0 + 0.1)) / 2 = 0.25"],
      state: { step: 1 },
    },
  ];
}
