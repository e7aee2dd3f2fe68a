/** The circle in PyTorch: arrows from angles, rotated by their positions, and the weights and outputs. */

import { literal, tensor } from "../../base/code/python_code.js";
import { positionsOf } from "./state.js";

/** @typedef {import("./numbers.js").CircleData} CircleData */

/** @param {CircleData} data @returns {string[]} */
export function pytorch({ state, additive }) {
  const { queryAngles, queryLengths, keyAngles, keyLengths, temperature, rope, theta } = state;
  const { query_positions, key_positions } = positionsOf(state);
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    "def arrows(degrees, lengths):",
    "    return torch.polar(torch.tensor(lengths), torch.tensor(degrees).deg2rad())  # x + iy",
    "",
    `q = arrows(${literal(queryAngles)}, ${literal(queryLengths)})`,
    `k = arrows(${literal(keyAngles)}, ${literal(keyLengths)})`,
    "v = torch.view_as_real(k)",
    ...(rope ? [`q = q * torch.exp(1j * ${theta} * torch.tensor(${literal(query_positions)}))  # RoPE`] : []),
    ...(rope ? [`k = k * torch.exp(1j * ${theta} * torch.tensor(${literal(key_positions)}))`] : []),
    "q, k = torch.view_as_real(q), torch.view_as_real(k)",
    ...scores(state.mechanism, additive),
    `weights = (scores / ${literal(temperature)}).softmax(-1)`,
    "print(weights)",
    "print(weights @ v)",
  ];
}

/**
 * @param {import("../frame/core/attention.js").Mechanism} mechanism
 * @param {import("./numbers.js").AdditiveWeights | null} additive
 */
function scores(mechanism, additive) {
  if (mechanism === "cosine") return ["scores = F.cosine_similarity(q[:, None], k[None], dim=-1)"];
  if (mechanism !== "additive") return [`scores = q @ k.T${mechanism === "dot" ? "" : " / 2**0.5"}`];
  if (!additive) return [];
  return [
    ...tensor("W_q", additive.query_weight),
    ...tensor("W_k", additive.key_weight),
    ...(additive.bias ? tensor("b", additive.bias) : ["b = 0"]),
    ...tensor("w", additive.combine),
    "scores = torch.tanh((q @ W_q.T)[:, None] + (k @ W_k.T)[None] + b) @ w",
  ];
}
