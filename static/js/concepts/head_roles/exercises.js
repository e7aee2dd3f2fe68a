/** Exercises about what heads do: a baseline, and attention between words. */

import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").RolesState>[]} */
export function exercises() {
  return [
    {
      id: "head-roles-baseline",
      question: t(
        "In six sentences the object stands 2, 2, 3, 2, 5 and 1 words after its verb. A head finds the verb in five of them. What share does the best fixed offset find, and how far above it is the head?",
      ),
      labels: [t("best fixed offset"), t("head, above it")],
      expected: [0.5, 0.3333],
      tolerance: 0.005,
      way: [t("The best offset is 2 words before: right in 3 of 6."), "3/6 = 0.5", "5/6 − 3/6 = 0.3333"],
      state: { relation: "obj.dependent_to_head", step: 5 },
    },
    {
      id: "head-roles-words",
      question: t(
        "“unhappily” is two tokens. The first gives “runner” (one token) 0.2 and “quickly” (two tokens) 0.3 and 0.1; the second gives them 0.6, 0.0 and 0.1. How much does the word “unhappily” give to each?",
      ),
      labels: [t("to “runner”"), t("to “quickly”")],
      expected: [0.4, 0.25],
      tolerance: 0.005,
      way: ["(0.2 + 0.6) / 2 = 0.4", "((0.3 + 0.1) + (0.0 + 0.1)) / 2 = 0.25"],
      state: { step: 1 },
    },
  ];
}
