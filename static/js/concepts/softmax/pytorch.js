/** Softmax in PyTorch: the function, with a number added to every score, and without subtracting the maximum. */

import { literal } from "../../base/code/python_code.js";

/** @param {import("./steps.js").SoftmaxData} data @returns {string[]} */
export function pytorch({ state: { scores, temperature, precision, shift } }) {
  const divided = temperature === 1 ? "" : ` / ${literal(temperature)}`;
  const rounded = precision === "float64" ? "" : `.to(torch.${precision})`;
  const tensor = `torch.tensor(${literal(scores)}, dtype=torch.float64)${divided}`;
  return [
    "import torch",
    "",
    `scores = ${rounded && divided ? `(${tensor})` : tensor}${rounded}`,
    "print(scores.softmax(-1))",
    "",
    `c = ${literal(shift)}`,
    "print((scores.double() + c).softmax(-1))  # what is added to all cancels",
    "",
    "# Without subtracting the maximum: inf / inf and 0 / 0 are nan",
    "print(scores.exp() / scores.exp().sum())",
  ];
}
