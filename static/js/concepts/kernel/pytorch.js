/** The three ways of weighting the same points, in PyTorch. */

import { literal, tensor } from "../../base/code/python_code.js";
import { queryWeight } from "./state.js";

/** @param {import("./state.js").KernelData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const whole = (/** @type {number} */ value) => literal(value, { whole: true });
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    ...tensor("x", answer.points),
    "distances = (x[:, None] - x).square().sum(-1)",
    `rbf = (-${whole(state.gamma)} * distances).softmax(-1)  # e^…, divided by the row's sum`,
    "print(rbf)",
    "",
    `polynomial = (x @ x.T + ${literal(state.constant)}) ** ${state.degree}`,
    "print(polynomial / polynomial.sum(-1, keepdim=True))",
    "",
    ...tensor("W_q", queryWeight(state)),
    "q, k = x @ W_q.T, x  # W_k = I",
    "print((q @ k.T / q.shape[-1] ** 0.5).softmax(-1))",
    "print(F.scaled_dot_product_attention(q, k, x))  # the output of attention",
  ];
}
