/** The bytes of a KV cache in PyTorch, and keys and values that are kept from step to step. */

import { literal } from "../../base/code/python_code.js";

const DTYPES = /** @type {Record<number, string>} */ ({ 4: "float32", 2: "float16", 1: "int8" });

/** @param {import("./state.js").KVCacheData} data @returns {string[]} */
export function pytorch({ state, answer }) {
  const { layers, heads, kv_heads: kept, head_dim: dim, batch, seq_len: tokens } = answer;
  const group = heads / kept;
  const chunks = literal(
    state.view === "steps" ? [...(state.prefill ? [state.prefill] : []), ...state.chunks] : [3, 1, 1, 2],
    { whole: true },
  );
  return [
    "import torch",
    "import torch.nn.functional as F",
    "",
    `layers, heads, kv_heads, d = ${layers}, ${heads}, ${kept}, ${dim}`,
    `size = torch.empty(0, dtype=torch.${DTYPES[answer.bytes_per_value]}).element_size()`,
    "a_token = 2 * layers * kv_heads * d * size  # a key and a value",
    "print(a_token)",
    `print(a_token * ${batch} * ${tokens})  # sequences · tokens`,
    "",
    "k, v = torch.empty(1, kv_heads, 0, d), torch.empty(1, kv_heads, 0, d)  # of one layer, empty",
    `for new in ${chunks}:`,
    "    k = torch.cat([k, torch.randn(1, kv_heads, new, d)], dim=2)  # appended; nothing is computed again",
    "    v = torch.cat([v, torch.randn(1, kv_heads, new, d)], dim=2)",
    "    q = torch.randn(1, heads, new, d)  # of the new tokens only",
    "    allowed = torch.ones(new, k.size(2), dtype=torch.bool).tril(k.size(2) - new)",
    group > 1
      ? `    o = F.scaled_dot_product_attention(q, *(one.repeat_interleave(${group}, dim=1) for one in (k, v)), allowed)`
      : "    o = F.scaled_dot_product_attention(q, k, v, allowed)",
    "assert o.shape == q.shape",
  ];
}
