/** Multi-head attention in PyTorch: the page's random vectors and layers, from the same seed. */

import { literal, tensor } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";
import { MINILM } from "../../wording/model_names.js";
import { request, tokensOf } from "./state.js";

/** @param {import("./state.js").MultiHeadData} data @returns {string[]} */
export function pytorch(data) {
  const { state, answer } = data;
  if (state.view === "model") return model(data);
  if (state.view === "counts") return counts(data);
  const { d_model: width, num_heads: heads, num_kv_heads: kept, head_dim: dim, value_dim: valueDim } = answer.sizes;
  const isCrossed = "key_len" in request(state);
  const context = isCrossed ? "context" : "x";
  const split = (
    /** @type {string} */ name,
    /** @type {string} */ of,
    /** @type {number} */ count,
    /** @type {number} */ size,
  ) => `${name} = W_${name}(${of}).view(B, -1, ${count}, ${size}).transpose(1, 2)  # (B, head, token, ${size})`;
  return [
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
    "",
    `torch.manual_seed(${state.seed})`,
    ...inputs(state, width),
    ...(isCrossed ? [`context = torch.randn(${state.batch}, ${state.keys}, ${width})`] : []),
    "B = x.size(0)",
    `W_q, W_k = nn.Linear(${width}, ${heads * dim}), nn.Linear(${width}, ${kept * dim})`,
    `W_v, W_o = nn.Linear(${width}, ${kept * valueDim}), nn.Linear(${heads * valueDim}, ${width})`,
    split("q", "x", heads, dim),
    split("k", context, kept, dim),
    split("v", context, kept, valueDim),
    ...(kept < heads
      ? [
          `k, v = (one.repeat_interleave(${heads / kept}, dim=1) for one in (k, v))  # each KV head for ${heads / kept} query heads`,
        ]
      : []),
    `scores = q @ k.transpose(-2, -1) / ${dim} ** 0.5`,
    ...(state.causal ? ["scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)"] : []),
    "weights = scores.softmax(-1)  # in training then: F.dropout(weights, p=0.1)",
    "o = (weights @ v).transpose(1, 2)  # (B, token, head, d_v): no longer in the order of memory",
    `y = W_o(o.contiguous().view(B, -1, ${heads * valueDim}))  # the heads side by side, mixed`,
    "print(weights[0].detach())",
    "print(y[0].detach())",
    `assert torch.allclose(F.scaled_dot_product_attention(q, k, v${state.causal ? ", is_causal=True" : ""}), weights @ v, atol=1e-5)`,
  ];
}

/** The same queries and keys, split into each number of heads. @param {import("./state.js").MultiHeadData} data */
function counts({ others: [further] }) {
  return [
    "import torch",
    "",
    ...tensor("X", further.x),
    ...tensor("W_q", further.query_weight),
    ...tensor("W_k", further.key_weight),
    "q, k = X @ W_q.T, X @ W_k.T",
    `for heads in ${literal(
      further.counts.map((count) => count.num_heads),
      { whole: true },
    )}:`,
    "    parts = [one.view(len(X), heads, -1).transpose(0, 1) for one in (q, k)]  # (head, token, d_k)",
    "    scores = parts[0] @ parts[1].transpose(-2, -1) / parts[0].size(-1) ** 0.5",
    "    print(scores.softmax(-1))",
  ];
}

/** A layer of the model, from the vectors that it gets. @param {import("./state.js").MultiHeadData} data */
function model({ state: { sentence, layer }, answer }) {
  const { num_heads: heads, head_dim: dim, d_model: width } = answer.sizes;
  return [
    ...modelCode(MINILM),
    "",
    ...runCode(literal(sentence), { hasStates: true }),
    `x = output.hidden_states[${layer}]  # what layer ${layer} gets: (1, token, ${width})`,
    `own = model.encoder.layer[${layer}].attention`,
    `q, k, v = (part(x).view(1, -1, ${heads}, ${dim}).transpose(1, 2) for part in (own.self.query, own.self.key, own.self.value))`,
    `weights = (q @ k.transpose(-2, -1) / ${dim} ** 0.5).softmax(-1)`,
    "o = (weights @ v).transpose(1, 2)  # (1, token, head, d_v)",
    `y = own.output.dense(o.reshape(1, -1, ${heads * dim}))  # W_O`,
    "print(weights[0])",
    "print(y[0])",
  ];
}

/**
 * The input: a random vector for each different word, or random vectors.
 * @param {Readonly<import("./state.js").MultiHeadState>} state
 * @param {number} width
 */
function inputs(state, width) {
  if (state.view === "shapes") return [`x = torch.randn(${state.batch}, ${state.queries}, ${width})`];
  const tokens = tokensOf(state);
  const words = [...new Set(tokens)];
  const numbers = literal(
    tokens.map((token) => words.indexOf(token)),
    { whole: true },
  );
  return [
    `table = torch.randn(${words.length}, ${width})  # a random vector for each different word`,
    `x = table[${numbers}][None]`,
  ];
}
