/** Sinusoidal positions in PyTorch: the vectors, their similarities, or a step as a matrix. */

import { literal } from "../../base/code/python_code.js";

/** @param {import("./state.js").SinusoidalData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { view, base, position, by, length } = state;
  const dim = 2 * answer.frequencies.length;
  const isInHalves = state.layout === "half_split" && (view === "map" || view === "step");
  const start = [
    "import torch",
    "import torch.nn.functional as F",
    "",
    `omega = ${literal(base, { whole: true })} ** (-torch.arange(0, ${dim}, 2, dtype=torch.float64) / ${dim})`,
    "",
    "def encode(positions):",
    "    angles = positions[:, None] * omega",
    isInHalves
      ? "    return torch.cat((angles.sin(), angles.cos()), -1)"
      : "    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)",
    "",
  ];
  if (view === "step") {
    return [
      ...start,
      `cos, sin = (${by} * omega).cos(), (${by} * omega).sin()`,
      ...(isInHalves ? IN_HALVES : INTERLEAVED),
      "print(M)",
      `print(M @ encode(torch.tensor([${position}]))[0])`,
      `print(encode(torch.tensor([${position + by}]))[0])  # the same`,
    ];
  }
  const vectors = [...start, `vectors = encode(torch.arange(${length}))`];
  if (view === "map") return [...vectors, "print(vectors)"];
  return [...vectors, "print(F.cosine_similarity(vectors[:, None], vectors, dim=-1))"];
}

const INTERLEAVED = [
  "blocks = torch.stack((cos, sin, -sin, cos), -1).view(-1, 2, 2)  # a rotation for each pair",
  "M = torch.block_diag(*blocks)",
];
const IN_HALVES = [
  "above = torch.cat((cos.diag(), sin.diag()), 1)",
  "below = torch.cat((-sin.diag(), cos.diag()), 1)",
  "M = torch.cat((above, below))",
];
