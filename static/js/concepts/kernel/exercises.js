/** Exercises of the kernel page. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { softmax } from "../frame/core/attention.js";
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
  const distances = [0, 1, 2];
  const exponents = distances.map((distance) => -(distance ** 2));
  const sharpness = (size = Math.SQRT2, twice = 2) => 1 / (twice * size);
  return [
    {
      id: "kernel-rbf",
      question: t(
        "Three points at 0, 1 and 2 on a line, RBF with γ = 1. What weight does the point at 0 give to each?",
      ),
      labels: ["w₀", "w₁", "w₂"],
      expected: allRounded(softmax(exponents), 4),
      tolerance: 0.001,
      slips: [
        {
          values: softmax(distances.map((distance) => -distance)),
          says: t("That leaves the distances as they are: RBF squares them, e^(−γ‖x − y‖²)."),
        },
        { values: exponents.map(Math.exp), says: t("Those are the kernel's values: divide each by their sum.") },
        {
          values: softmax(exponents.map((exponent) => -exponent)),
          says: t("The minus sign in the exponent is missing: what is far away counts less."),
        },
      ],
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
      expected: [rounded(sharpness(), 4)],
      tolerance: 0.001,
      slips: [
        { values: [sharpness(Math.SQRT2, 1)], says: t("That is 2γ: halve it.") },
        { values: [sharpness(1)], says: t("That is for the dot product without scaling: divide by √d = √2 as well.") },
        { values: [sharpness(2)], says: t("That divides by d: the divisor is √d.") },
      ],
      way: [
        t("On the unit circle ‖x − y‖² = 2 − 2 x·y, so e^(−γ‖x − y‖²) = e^(−2γ) e^(2γ x·y), and e^(−2γ) cancels."),
        t("2γ = 1/√2 gives γ = 1/(2√2) = 0.3536."),
      ],
    },
  ];
}
