/** Reach in ten lines of PyTorch: replace each token in turn, and compare the states bit for bit. */

import { tensor } from "../../base/code/python_code.js";
import { masksOf } from "./state.js";

/** What passes beside attention, as the code has it. */
const MIXED = {
  none: [],
  causal_convolution: ["        x = x + 0.25 * F.pad(x, (0, 0, 1, 0))[:-1]  # a causal convolution"],
  convolution: [
    "        x = x + 0.25 * (F.pad(x, (0, 0, 1, 0))[:-1] + F.pad(x, (0, 0, 0, 1))[1:])  # a convolution, padding=1",
  ],
  norm_over_time: ["        x = (x - x.mean(0)) / (x.var(0, correction=0) + 1e-5).sqrt()  # a norm over time"],
};

/** @param {import("./state.js").ReachData} data @returns {string[]} */
export function pytorch({ state }) {
  const masks = masksOf(state);
  const { layers, tokens, only, mixing } = state;
  const stacked =
    only === "every" ? `[mask] * ${layers}` : `[mask if layer == ${only} else named for layer in range(${layers})]`;
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    ...tensor("mask", only === "every" ? masks[0] : masks[Math.min(Number(only), layers - 1)]),
    ...(only === "every" ? [] : tensor("named", masks.find((_, layer) => layer !== Number(only)) ?? masks[0])),
    `masks = ${stacked}`,
    `weights = torch.randn(${layers}, 4, 16, 16) / 8  # queries, keys, values and output of each layer`,
    "",
    "def run(x):",
    "    states = []",
    "    for mask, (q, k, v, o) in zip(masks, weights):",
    "        read = F.scaled_dot_product_attention(*(x @ w for w in (q, k, v)), attn_mask=mask)",
    "        x = x + read.nan_to_num() @ o  # a row that may read nothing",
    ...MIXED[mixing],
    "        states.append(x)",
    "    return torch.stack(states)",
    "",
    `x = torch.randn(${tokens}, 16)`,
    "same = run(x)",
    `others = [torch.cat([x[:j], torch.randn(1, 16), x[j + 1:]]) for j in range(${tokens})]`,
    "reached = torch.stack([(run(other) != same).any(-1) for other in others], -1)",
    "print(reached)  # layers, queries, keys",
  ];
}
