/** ALiBi in PyTorch: slopes, and the bias, the weights or the reach that is shown. */

import { nonNull } from "../../base/non_null.js";
import { tensor } from "../../base/code/python_code.js";
import { FARTHEST, request } from "./state.js";

/** @param {import("./state.js").AlibiData} data @returns {string[]} */
export function pytorch({ state }) {
  const { view, heads, head, tokens, symmetric } = state;
  const power = 2 ** Math.floor(Math.log2(heads));
  const between =
    heads === power
      ? `m = slopes(${heads})`
      : `m = torch.cat((slopes(${power}), slopes(${2 * power})[0::2][:${heads - power}]))  # ${heads}: no power of two`;
  const start = [
    "import torch",
    "",
    "def slopes(heads):",
    "    return 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)",
    "",
    between,
    "print(m)",
  ];
  if (view === "reach") {
    return [...start, `print(torch.exp(-m[:, None] * torch.arange(${FARTHEST + 1})))  # each head, by distance`];
  }
  const bias = [
    ...start,
    `i, j = torch.arange(${tokens})[:, None], torch.arange(${tokens})  # queries, keys`,
    `bias = -m[${head}] * ${symmetric ? "(i - j).abs()" : "(i - j)"}`,
  ];
  if (view === "bias") return [...bias, `print(bias${symmetric ? "" : ".tril()"})${symmetric ? "" : NO_FUTURE}`];
  const { queries, keys } = request(state);
  const mask = symmetric ? "" : ".masked_fill(j > i, -torch.inf)";
  return [
    ...bias,
    ...tensor("q", nonNull(queries)),
    ...tensor("k", nonNull(keys)),
    "scores = q @ k.T / q.size(-1) ** 0.5",
    `print(scores${mask}.softmax(-1))  # without positions`,
    `print((scores + bias)${mask}.softmax(-1))`,
  ];
}

const NO_FUTURE = "  # the causal mask hides the rest";
