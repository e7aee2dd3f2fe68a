/** Exercises about networks that learn: what a loss says, and where the two kinds of heads attend. */

import { t } from "../../base/i18n.js";
import { rounded } from "../../base/numbers.js";
import { countedFromOne, inBits, swapped } from "../../wording/slips.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").TrainingState>[]} */
export function exercises() {
  const tokens = ["a", "b", "c", "d", "a", "b", "c"];
  const query = tokens.length - 1;
  const previous = query - 1;
  const before = tokens.lastIndexOf(tokens[query], previous);
  const count = 32;
  const loss = 0.4;
  return [
    {
      id: "training-induction",
      question: t(
        "The tokens are a b c d a b c, at positions 0 to 6. Which position does a previous-token head attend to from the last c, and which does an induction head attend to?",
      ),
      labels: [t("previous-token head"), t("induction head")],
      expected: [previous, before + 1],
      tolerance: 0,
      slips: [
        {
          values: [null, before],
          says: t("That is the earlier c itself: an induction head attends to what came after it."),
        },
        { values: [before + 1, previous], says: swapped() },
        { values: [previous + 1, before + 2], says: countedFromOne() },
      ],
      way: [
        t("A previous-token head attends to the position just before its own: 6 − 1 = 5."),
        t("The last c before position 6 is at 2; what followed it, d at 3, is what the induction head looks for."),
      ],
    },
    {
      id: "training-chance",
      question: t(
        "There are 32 tokens. What is the loss of a network that gives all of them the same probability, in nats? And what probability does the right token get, on (geometric) average, once the loss is 0.4?",
      ),
      labels: [t("loss"), t("probability")],
      expected: [rounded(Math.log(count), 4), rounded(Math.exp(-loss), 4)],
      tolerance: 0.001,
      slips: [
        { values: [Math.log2(count), 2 ** -loss], says: inBits() },
        { values: [1 / count, null], says: t("That is the probability: the loss is minus its logarithm.") },
        { values: [null, 1 - loss], says: t("That is 1 minus the loss: the probability is e^(−loss).") },
      ],
      way: ["−ln (1/32) = ln 32 = 3.4657", "e^(−0.4) = 0.6703"],
    },
  ];
}
