/** Exercises of the parity page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../page/model_choice.js";

export const TEXT = "The cat sat on the mat because it was tired.";

/** @typedef {import("./state.js").ParityState} ParityState */

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
