/** Norms of queries and keys in PyTorch: the chosen one, or lengths in many dimensions. */

import { literal, tensor } from "../../base/code/python_code.js";
import { also, request } from "./state.js";

/** @typedef {import("./state.js").QKNormData} QKNormData */
/** @typedef {import("./state.js").QKNormState} QKNormState */

/** @param {QKNormData} data @returns {string[]} */
export function pytorch({ state }) {
  const code = state.view === "lengths" ? lengths(state) : scores(state);
  return ["import torch", "import torch.nn.functional as F", "", ...code];
}

/** @param {Readonly<QKNormState>} state */
function scores(state) {
  const { queries, keys, rope, order, learned_scale } = request(state);
  const scale = state.kind === "rms" || state.kind === "l2" ? learned_scale : undefined;
  const norm = NORM[state.kind](scale !== undefined);
  const rotate = rope === "none" ? [] : ["q, k = rotate(q), rotate(k)"];
  return [
    ...tensor("q", queries),
    ...tensor("k", keys),
    ...(scale ? tensor("scale", scale) : []),
    "D = q.shape[-1]",
    ...(rope === "none" ? [] : rotation(rope)),
    ...(order === "before_rope" ? [...norm, ...rotate] : [...rotate, ...norm]),
    "dot_products = q @ k.T",
    "print(dot_products)",
    `scores = dot_products ${state.kind === "l2" ? "*" : "/"} D**0.5`,
    "print(scores)",
    "print(scores.softmax(-1))",
  ];
}

/** @type {Record<import("./state.js").Kind, (isScaled: boolean) => string[]>} */
const NORM = {
  none: () => [],
  layer: () => ["q, k = F.layer_norm(q, (D,)), F.layer_norm(k, (D,))"],
  rms: (isScaled) => {
    const rest = `(D,), ${isScaled ? "scale, " : ""}eps=1e-6`;
    return [`q, k = F.rms_norm(q, ${rest}), F.rms_norm(k, ${rest})`];
  },
  l2: (isScaled) => {
    const scale = isScaled ? " * scale" : "";
    return [`q, k = F.normalize(q, dim=-1)${scale}, F.normalize(k, dim=-1)${scale}`];
  },
};

/** @param {"half_split" | "interleaved"} pairs */
function rotation(pairs) {
  const isSplit = pairs === "half_split";
  return [
    "",
    "def rotate(x):",
    `    a, b = ${isSplit ? "x.chunk(2, -1)" : "x[:, 0::2], x[:, 1::2]"}`,
    "    angles = torch.arange(len(x))[:, None] * 10_000 ** (-torch.arange(0, D, 2) / D)",
    "    cos, sin = angles.cos(), angles.sin()",
    "    turned = (a * cos - b * sin, a * sin + b * cos)",
    `    return ${isSplit ? "torch.cat(turned, -1)" : "torch.stack(turned, -1).flatten(-2)"}`,
    "",
  ];
}

/** @param {Readonly<QKNormState>} state */
function lengths(state) {
  const { dims, samples, gain, seed } = also(state)[0].body;
  return [
    `torch.manual_seed(${seed})`,
    `for d in ${literal(dims ?? [], { whole: true })}:`,
    `    gain = 1 + ${literal(gain ?? 0, { whole: true })} * torch.randn(d)`,
    "    W = torch.empty(d, d).uniform_(-(d**-0.5), d**-0.5)  # as nn.Linear does",
    `    x, y = torch.randn(2, ${samples}, d)`,
    "    normed = F.layer_norm(x, (d,))",
    "    for vectors in (x, normed, normed * gain, normed @ W.T):",
    "        print(vectors.norm(dim=-1).mean())",
    "    print(x.norm(dim=-1).std() / x.norm(dim=-1).mean())  # spread of the lengths",
    "    print(F.cosine_similarity(x, y).std())",
  ];
}
