/** The three ways, the translator and the two scores in PyTorch. */

import { literal, tensor } from "../../base/code/python_code.js";
import { asymmetryOf, request, textOf, translationOf } from "./state.js";

/** @typedef {import("./state.js").WhyData} WhyData */

/** @param {WhyData} data @returns {string[]} */
export function pytorch(data) {
  const { view } = data.state;
  if (view === "translation") return translated(data);
  return view === "asymmetry" ? asymmetric(data) : read(data);
}

/** W and U from one generator, and the derivatives of the last state by autograd. */
const JACOBIANS = [
  "def influences(x, gain):",
  "    cell.weight_hh.data = gain * R",
  "    def last_state(x):",
  "        h = torch.zeros(len(R), dtype=torch.float64)",
  "        for word in x:",
  "            h = cell(word, h)  # tanh(W h + U x)",
  "        return h",
  "    J = torch.autograd.functional.jacobian(last_state, x)  # (state, words, inputs)",
  "    return torch.linalg.matrix_norm(J.transpose(0, 1), ord=2)",
];

/** @param {number} dim @param {number} inputs @param {number} seed */
const network = (dim, inputs, seed) => [
  `g = torch.Generator().manual_seed(${seed})`,
  `R = torch.linalg.qr(torch.randn(${dim}, ${dim}, generator=g, dtype=torch.float64))[0]`,
  `cell = torch.nn.RNNCell(${inputs}, ${dim}, bias=False, dtype=torch.float64)`,
  `cell.weight_ih.data = torch.randn(${dim}, ${inputs}, generator=g, dtype=torch.float64) * 0.5 / ${inputs}**0.5`,
  "",
  ...JACOBIANS,
  "",
];

/** @param {WhyData} data @returns {string[]} */
function read({ state, answer }) {
  const { dim, seed } = state;
  const { reader, asks, wanted } = answer;
  const { gains = [], numbers = [] } = { ...request(state), ...textOf(state) };
  return [
    "import torch",
    "",
    `words = ${literal(numbers, { whole: true })}  # ${answer.words.join(" ")}`,
    "def vector(word):  # a random direction of length √d, the same for the same word",
    `    g = torch.Generator().manual_seed(${1000 * seed} + word + 1)`,
    `    v = torch.randn(${dim}, generator=g, dtype=torch.float64)`,
    `    return v * ${dim}**0.5 / v.norm()`,
    "x = torch.stack([vector(word) for word in words])",
    ...network(dim, dim, seed),
    ...gains.map((gain) => `print(influences(x[:${reader + 1}], ${gain}))`),
    "",
    `W_q = torch.randn(${dim}, ${dim}, generator=g, dtype=torch.float64) / ${dim}**0.5`,
    `W_q += torch.outer(x[${wanted}] - W_q @ x[${asks}], x[${asks}]) / (x[${asks}] @ x[${asks}])  # it asks for the wanted word`,
    `print((x @ (W_q @ x[${reader}]) / ${dim}**0.5).softmax(-1))`,
  ];
}

/** @param {WhyData} data @returns {string[]} */
function translated(data) {
  const translation = translationOf(data);
  if (!translation) return [];
  const { dim, seed, gain } = data.state;
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    ...tensor("source", translation.source_features),
    ...tensor("target", translation.target_features),
    "source, target = source.double(), target.double()",
    ...network(dim, translation.meanings.length, seed),
    `left = influences(source, ${gain})`,
    "print(left / left.sum())  # through one vector, for every word that is written",
    `print((${translation.sharpness} * target @ source.T / 4**0.5).softmax(-1))  # cross-attention`,
  ];
}

/** @param {WhyData} data @returns {string[]} */
function asymmetric(data) {
  const asymmetry = asymmetryOf(data);
  if (!asymmetry) return [];
  return [
    "import torch",
    "",
    ...tensor("x", asymmetry.vectors),
    ...tensor("W_q", asymmetry.own.query_weight),
    ...tensor("W_k", asymmetry.own.key_weight),
    "S = (x @ W_q.T) @ (x @ W_k.T).T / 2**0.5",
    "print(S)",
    "print((S - S.T).norm() / S.norm())",
    "print(S.softmax(-1))",
  ];
}
