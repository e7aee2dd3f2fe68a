/** The numbers of each view in PyTorch, drawn from the same seed. */

import { literal } from "../../base/code/python_code.js";
import { GROWTH_SIZES, request } from "./state.js";

/** @typedef {Readonly<import("./state.js").ScalingState>} State */

/** The server's: numbers drawn at once, pairs of layers at most, and numbers drawn for a request. */
const [AT_ONCE, LAYERS, MOST_DRAWN] = ["2**22", 64, 2 ** 26];
const GENERATOR = (/** @type {number} */ seed) => `g = torch.Generator().manual_seed(${seed})`;

/** @param {{state: State}} data @returns {string[]} */
export function pytorch({ state }) {
  return ["import torch", "", ...CODE[state.view](state)];
}

/** @type {Record<State["view"], (state: State) => string[]>} */
const CODE = {
  distributions: (state) => (state.source === "normal" ? normal(state) : linear(state)),
  size: ({ d, keys, seed }) => rows([d], keys, seed),
  panels: ({ keys, seed }) => rows([1, 100], keys, seed),
  saturation: ({ scores, divisor }) => [
    `scores = torch.tensor(${literal(scores)}, dtype=torch.float64)`,
    `for z in (scores, scores / ${divisor}):`,
    "    print(z.softmax(-1))",
    "    jacobian = torch.autograd.functional.jacobian(lambda z: z.softmax(-1), z)  # ∂w/∂z",
    "    print(jacobian.norm())  # Frobenius",
  ],
  growth: ({ keys, seed }) => [
    GENERATOR(seed),
    `for d in ${literal(GROWTH_SIZES, { whole: true })}:`,
    "    scores = torch.cat([",
    `        (torch.randn(n, 1, d, generator=g) @ torch.randn(n, ${keys}, d, generator=g).mT).squeeze(1)`,
    `        for n in map(len, torch.arange(200).split(${AT_ONCE} // (${keys} * d)))`,
    "    ]).double()",
    "    for z in (scores, scores / d**0.5):",
    "        w = z.softmax(-1)",
    "        jacobian = torch.diag_embed(w) - w[:, :, None] * w[:, None, :]  # ∂w/∂z",
    "        print(torch.special.entr(w).sum(-1).mean(), jacobian.norm(dim=(1, 2)).mean())",
  ],
};

/** @param {State} state @returns {string[]} */
function normal(state) {
  const { d_k, samples } = request(state);
  return [
    `for d in ${literal(d_k, { whole: true })}:`,
    `    ${GENERATOR(state.seed)}`,
    "    scores = torch.cat([",
    "        (torch.randn(n, d, generator=g) * torch.randn(n, d, generator=g)).sum(-1)  # q · k",
    `        for n in map(len, torch.arange(${samples}).split(${AT_ONCE} // d))  # some at a time`,
    "    ])",
    "    print(scores.var(), (scores / d**0.5).var())",
  ];
}

/** @param {State} state @returns {string[]} */
function linear(state) {
  const { d_k, samples } = request(state);
  const numbers = d_k.reduce((sum, d) => sum + 2 * d * d, 0);
  const layers = Math.max(1, Math.min(LAYERS, Math.floor(MOST_DRAWN / numbers)));
  const size = state.bias ? "d, d" : "d, d, bias=False";
  return [
    `ends = torch.linspace(0, ${samples}, ${layers + 1}, dtype=torch.float64).long()`,
    `for d in ${literal(d_k, { whole: true })}:`,
    `    torch.manual_seed(${state.seed})`,
    "    scores = []",
    `    for n in ends.diff().tolist():  # ${layers} pairs of fresh layers`,
    `        w_q, w_k = torch.nn.Linear(${size}), torch.nn.Linear(${size})`,
    "        scores.append((w_q(torch.randn(n, d)) * w_k(torch.randn(n, d))).sum(-1).detach())",
    "    scores = torch.cat(scores)",
    "    print(scores.var(), (scores / d**0.5).var())",
  ];
}

/** One query and its keys at each size. @param {number[]} sizes @param {number} keys @param {number} seed */
function rows(sizes, keys, seed) {
  return [
    GENERATOR(seed),
    `for d in ${literal(sizes, { whole: true })}:`,
    "    query = torch.randn(d, generator=g, dtype=torch.float64)",
    `    keys = torch.randn(${keys}, d, generator=g, dtype=torch.float64)`,
    "    scores = keys @ query",
    "    print(scores.softmax(-1))",
    "    print((scores / d**0.5).softmax(-1))",
  ];
}
