/** Exercises of the kernel page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { startsOf } from "../../base/fields.js";
import { fields, request } from "./state.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").KernelState>[]} */
export function exercises() {
  const line = startsOf(fields, {
    points: [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
    gamma: 1,
    query: 0,
    key: 1,
  });
  return [
    {
      id: "kernel-rbf",
      question: t(
        "Three points at 0, 1 and 2 on a line, RBF with γ = 1. What weight does the point at 0 give to each?",
      ),
      labels: ["w₀", "w₁", "w₂"],
      expected: [0.7214, 0.2654, 0.0132],
      tolerance: 0.001,
      way: [
        t("Squared distances: 0, 1, 4. Kernel values: e⁰ = 1, e⁻¹ = 0.3679, e⁻⁴ = 0.0183."),
        t("Their sum is 1.3862; divided by it: 0.7214, 0.2654, 0.0132."),
      ],
      state: line,
      ...served("kernel", request(line), (answer) => answer.rbf.weights[0]),
    },
    {
      id: "kernel-same",
      question: t(
        "Points on the unit circle, d = 2, W = I. For which γ are RBF weights those of scaled dot-product attention?",
      ),
      labels: ["γ"],
      expected: [0.3536],
      tolerance: 0.001,
      way: [
        t("On the unit circle ‖x − y‖² = 2 − 2 x·y, so e^(−γ‖x − y‖²) = e^(−2γ) e^(2γ x·y), and e^(−2γ) cancels."),
        t("2γ = 1/√2 gives γ = 1/(2√2) = 0.3536."),
      ],
    },
  ];
}
