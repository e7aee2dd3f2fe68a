/** Exercises of the parity page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { rounded } from "../../base/numbers.js";
import { MINILM } from "../../wording/model_names.js";

export const TEXT = "The cat sat on the mat because it was tired.";

/** @typedef {import("./state.js").ParityState} ParityState */

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ParityState>[]} */
export function exercises() {
  const steps = (bound = 1e-5, digits = 24) => bound / 2 ** -digits;
  const weight = 0.7118;
  return [
    {
      id: "parity-step",
      question: t(
        "float32 keeps 24 binary digits. How many steps of 2⁻²⁴ (the spacing between ½ and 1) fit into the bound of 10⁻⁵?",
      ),
      labels: [t("steps")],
      expected: [rounded(steps(), 2)],
      tolerance: 1,
      slips: [
        {
          values: [steps(1e-5, 23)],
          says: t("That is in steps of 2⁻²³, the spacing between 1 and 2: between ½ and 1 it is half as much."),
        },
        { values: [1 / steps()], says: t("That is the other way round: divide the bound by the step.") },
        { values: [steps(1e-6)], says: t("That takes 10⁻⁶ for the bound: it is 10⁻⁵.") },
      ],
      way: ["2⁻²⁴ = 5.96 × 10⁻⁸", "10⁻⁵ / 5.96 × 10⁻⁸ = 167.8"],
    },
    {
      id: "parity-weight",
      question: t("What weight from “it” to “cat” does layer 5, head 11 of MiniLM give, in both?"),
      labels: [t("weight")],
      expected: [weight],
      tolerance: 0.01,
      slips: [{ values: [100 * weight], says: t("That is in per cent: a weight is a share of 1.") }],
      way: [t("The first preset: the cell in the row “it” and the column “cat”.")],
      state: { model: MINILM, text: TEXT, part: "", layer: 5, head: 11, query: 8, key: 2 },
      ...served("parity", { model: MINILM, text: TEXT, layer: 5, head: 11 }, (answer) => [answer.ours[8][2]]),
    },
  ];
}
