/** Presets and exercises of the page of one word in several sentences. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { DECODER, MINILM } from "../../page/model_choice.js";

/** Input of a model, the same in every language of the page. */
export const SENTENCES = {
  bank: [
    "We sat on the bank of the river.",
    "The bank lent us the money.",
    "The river rose above its bank.",
    "She works at a bank in the city.",
  ].join("\n"),
  bat: [
    "The bat flew out of the cave.",
    "He swung the bat and hit the ball.",
    "A bat is a small animal with wings.",
    "The player dropped his bat.",
  ].join("\n"),
  apple: ["An apple fell from the tree.", "Apple released a new phone.", "She ate an apple and a pear."].join("\n"),
  it: [
    "The animal did not cross the street because it was too tired.",
    "The animal did not cross the street because it was too wide.",
  ].join("\n"),
  japanese: ["学生が本を読む。", "生のトマトを食べる。", "先生は本を書く。"].join("\n"),
};

/** @typedef {import("./state.js").ContextState} ContextState */

/** @returns {import("../frame/concept.js").Preset<ContextState>[]} */
export function presets() {
  return [
    {
      name: t("bank: a river's, and one for money"),
      notice: t(
        "One row of the table becomes four vectors: banks of the same kind stay close, the two kinds separate.",
      ),
      state: { texts: SENTENCES.bank, word: "bank", second: 1 },
    },
    {
      name: t("The head that attends to the river"),
      notice: t(
        "From “bank”, head 10 of layer 0 attends mostly to “river”, with 0.63 and 0.65; with money and city it has less to attend to.",
      ),
      state: { texts: SENTENCES.bank, word: "bank", second: 2, layer: 0, head: 10 },
    },
    {
      name: t("bat: with wings, and of wood"),
      notice: t(
        "After layer 2 the animals (A, C) are at 0.951, the clubs (B, D) at 0.953, and every other pair is below 0.9.",
      ),
      state: { texts: SENTENCES.bat, word: "bat", second: 2, layer: 2 },
    },
    {
      name: t("apple: a fruit, and a company"),
      notice: t("MiniLM ignores capitals: only the context tells the two apart."),
      state: { texts: SENTENCES.apple, word: "apple", second: 1 },
    },
    {
      name: t("it: the animal, or the street"),
      notice: t(
        "Only the last word differs, and it comes after “it”. An encoder attends in both directions; a decoder would see no difference.",
      ),
      state: { texts: SENTENCES.it, word: "it", layer: 2 },
    },
    {
      name: t("The same, in a decoder"),
      notice: t(
        "Our small GPT-2 attends only to earlier tokens. Up to “it” both sentences are the same, and so are the vectors after every layer: the cosine stays 1.",
      ),
      state: { model: DECODER, texts: SENTENCES.it, word: "it", layer: 2 },
    },
    {
      name: t("生 in three Japanese words"),
      notice: t(
        "MiniLM was trained on English: it splits Japanese into single characters, takes が for か and knows many characters only as [UNK]. A model trained on Japanese shows more.",
      ),
      state: { texts: SENTENCES.japanese, word: "生", second: 2 },
    },
  ];
}

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ContextState>[]} */
export function exercises() {
  const body = {
    model: MINILM,
    texts: SENTENCES.bank.split("\n").map((text) => ({ text, word: "bank" })),
  };
  return [
    {
      id: "context-cosine",
      question: t("h_A · h_B = 6, |h_A| = 3 and |h_B| = 4. What is their cosine?"),
      labels: [t("cosine")],
      expected: [0.5],
      tolerance: 0.001,
      way: [t("The dot product divided by both lengths: 6 / (3 · 4) = 0.5.")],
    },
    {
      id: "context-table",
      question: t("What is the cosine of “bank” and “bank” in the table of token vectors, whatever the sentences?"),
      labels: [t("cosine")],
      expected: [1],
      tolerance: 0.001,
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
      expected: [5, 0.783],
      tolerance: 0.005,
      way: [
        t("Choose A and B; the table below the steps lists every state, its last line the lowest."),
        t("It falls from 0.958 with position to 0.802 after layer 2, rises a little, and ends at 0.783 after layer 5."),
      ],
      state: { texts: SENTENCES.bank, word: "bank", first: 0, second: 1, model: MINILM },
      ...served("context", body, (answer) => {
        const all = answer.cosines.map((one) => one[0][1]);
        const lowest = Math.min(...all);
        return [all.indexOf(lowest) - 2, lowest];
      }),
    },
  ];
}
