/** Attention to the words in both orders, in PyTorch. */

import { literal } from "../../base/code/python_code.js";
import { DIM, orderOf, wordsOf } from "./state.js";

/** @param {import("./state.js").OrderData} data @returns {string[]} */
export function pytorch({ state }) {
  const { way, precision, seed } = state;
  const words = wordsOf(state).map((word) => JSON.stringify(word));
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    `words = [${words.join(", ")}]`,
    `order = ${literal(orderOf(state), { whole: true })}`,
    `torch.manual_seed(${seed})`,
    "vocabulary = list(dict.fromkeys(words))  # equal words get equal vectors",
    `table = torch.randn(len(vocabulary), ${DIM}, dtype=torch.float64)`,
    `W = torch.randn(3, ${DIM}, ${DIM}, dtype=torch.float64) / ${DIM}**0.5`,
    "x = table[[vocabulary.index(word) for word in words]]",
    ...(precision === "float32" ? ["x, W = x.float(), W.float()"] : []),
    "",
    "def attend(x):",
    ...ATTEND[way].map((line) => `    ${line}`),
    "",
    "print(attend(x))",
    "print(attend(x[order]))",
    "print((attend(x[order]) - attend(x)[order]).abs().max())",
  ];
}

const QKV = "q, k, v = x @ W[0], x @ W[1], x @ W[2]";
const PLAIN = "return F.scaled_dot_product_attention(q, k, v)";
const ANGLES = [
  `speeds = 10_000 ** (-torch.arange(0, ${DIM}, 2, dtype=torch.float64) / ${DIM})`,
  "angles = (torch.arange(len(x))[:, None] * speeds).to(x.dtype)",
];

/** @type {Record<import("./state.js").OrderState["way"], string[]>} */
const ATTEND = {
  none: [QKV, PLAIN],
  causal: [QKV, "return F.scaled_dot_product_attention(q, k, v, is_causal=True)"],
  sinusoidal: [...ANGLES, "x = x + torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)", QKV, PLAIN],
  rope: [
    QKV,
    ...ANGLES,
    "cos, sin = angles.cos(), angles.sin()",
    "def rotate(vectors):",
    "    a, b = vectors.chunk(2, -1)",
    "    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)",
    "return F.scaled_dot_product_attention(rotate(q), rotate(k), v)",
  ],
  alibi: [
    QKV,
    "places = torch.arange(len(x), dtype=x.dtype)",
    "bias = -0.5 * (places[:, None] - places).abs()",
    "return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)",
  ],
};
