/** Presets and exercises of the parity page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { DECODER, MINILM } from "../../page/model_choice.js";

export const TEXT = "The cat sat on the mat because it was tired.";

/** @typedef {import("./state.js").ParityState} ParityState */

/** @returns {import("../frame/concept.js").Preset<ParityState>[]} */
export function presets() {
  return [
    {
      name: t("it attends to cat"),
      notice: t("Layer 5, head 11 puts 0.71 of “it” on “cat”, in our attention and in the library's."),
      state: {},
    },
    {
      name: t("A previous-token head"),
      notice: t(
        "A sharp head has large scores, and large scores are rounded more coarsely, so heads like this one differ most.",
      ),
      state: { layer: 0, head: 2, query: 8, key: 7 },
    },
    {
      name: t("An induction head, in a decoder"),
      notice: t(
        "The second “cat” gives all its weight to “met”, which followed the first one, in both implementations.",
      ),
      state: {
        model: DECODER,
        text: "One black cat met two white dogs. One black cat met two white dogs.",
        layer: 1,
        head: 0,
        query: 12,
        key: 3,
      },
    },
    {
      name: t("A longer text"),
      notice: t("More keys mean longer sums and slightly more rounding, but nowhere near the bound."),
      state: {
        text: "Attention is a weighted mean: each token asks a question, every token offers a key, and the answers are mixed by how well the keys fit the question that was asked.",
        query: 1,
        key: 1,
      },
    },
  ];
}

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ParityState>[]} */
export function exercises() {
  return [
    {
      id: "parity-step",
      question: t(
        "float32 keeps 24 binary digits. How many steps of 2⁻²⁴ (the spacing between ½ and 1) fit into the bound of 10⁻⁵?",
      ),
      labels: [t("steps")],
      expected: [167.77],
      tolerance: 1,
      way: ["2⁻²⁴ = 5.96 × 10⁻⁸", "10⁻⁵ / 5.96 × 10⁻⁸ = 167.8"],
    },
    {
      id: "parity-weight",
      question: t("What weight from “it” to “cat” does layer 5, head 11 of MiniLM give, in both?"),
      labels: [t("weight")],
      expected: [0.7118],
      tolerance: 0.01,
      way: [t("The first preset: the cell in the row “it” and the column “cat”.")],
      state: { model: MINILM, text: TEXT, part: "", layer: 5, head: 11, query: 8, key: 2 },
      ...served("parity", { model: MINILM, text: TEXT, layer: 5, head: 11 }, (answer) => [answer.ours[8][2]]),
    },
  ];
}
