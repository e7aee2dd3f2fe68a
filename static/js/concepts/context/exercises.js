/** Exercises of the page of one word in several sentences. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { countedFromOne, dotProductItself, lengthsAdded, oneLength } from "../../wording/slips.js";
import { MINILM } from "../../wording/model_names.js";

/** Input of a model, the same in every language of the page. */
export const BANKS =
  "We sat on the bank of the river.\n" +
  "The bank lent us the money.\n" +
  "The river rose above its bank.\n" +
  "She works at a bank in the city.";

/** @typedef {import("./state.js").ContextState} ContextState */

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ContextState>[]} */
export function exercises() {
  const body = {
    model: MINILM,
    texts: BANKS.split("\n").map((text) => ({ text, word: "bank" })),
  };
  const [product, ofA, ofB] = [6, 3, 4];
  /** The cosine of the two banks after each layer where it is lowest so far. */
  const [early, lowest] = [
    { layer: 2, cosine: 0.802 },
    { layer: 5, cosine: 0.783 },
  ];
  return [
    {
      id: "context-cosine",
      question: t("h_A · h_B = 6, |h_A| = 3 and |h_B| = 4. What is their cosine?"),
      labels: [t("cosine")],
      expected: [product / (ofA * ofB)],
      tolerance: 0.001,
      slips: [
        { values: [product], says: dotProductItself() },
        ...[ofA, ofB].map((length) => ({ values: [product / length], says: oneLength() })),
        { values: [product / (ofA + ofB)], says: lengthsAdded() },
      ],
      way: [t("The dot product divided by both lengths: 6 / (3 · 4) = 0.5.")],
    },
    {
      id: "context-table",
      question: t("What is the cosine of “bank” and “bank” in the table of token vectors, whatever the sentences?"),
      labels: [t("cosine")],
      expected: [1],
      tolerance: 0.001,
      slips: [{ values: [0], says: t("That would be two vectors at right angles: here it is the same row twice.") }],
      way: [
        t("The table has one row for each token. The same row twice points the same way."),
        t("The two separate only once positions are added and attention mixes in the context."),
      ],
      ...served("context", body, (answer) => [answer.cosines[0][0][1]]),
    },
    {
      id: "context-lowest",
      question: t(
        "In the first preset, after which layer of MiniLM is the river's bank (A) farthest from the bank of money (B), and what is the cosine there?",
      ),
      labels: [t("layer"), t("cosine")],
      expected: [lowest.layer, lowest.cosine],
      tolerance: 0.005,
      slips: [
        { values: [lowest.layer + 1, null], says: countedFromOne() },
        {
          values: [early.layer, early.cosine],
          says: t("That is where it falls for the first time: it falls once more, and further."),
        },
      ],
      way: [
        t("Choose A and B; the table below the steps lists every state, its last line the lowest."),
        t("It falls from 0.958 with position to 0.802 after layer 2, rises a little, and ends at 0.783 after layer 5."),
      ],
      state: { texts: BANKS, word: "bank", first: 0, second: 1, model: MINILM },
      ...served("context", body, (answer) => {
        const alike = answer.cosines.map((cosine) => cosine[0][1]);
        const lowest = Math.min(...alike);
        return [alike.indexOf(lowest) - 2, lowest];
      }),
    },
  ];
}
