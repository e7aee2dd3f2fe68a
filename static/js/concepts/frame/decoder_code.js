/** Our own random decoder in PyTorch: its blocks, and weights drawn in the same order from the same seed. */

/**
 * @typedef {object} DecoderSizes
 * @property {"modern" | "llama" | "gpt2"} form
 * @property {"rms" | "l2" | null} qkNorm
 * @property {boolean} before  whether queries and keys are normalised before RoPE
 * @property {number} width  d_model
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} layers
 * @property {number} vocabulary
 * @property {number} positions  the most a learned table has
 * @property {readonly number[]} ids
 * @property {number} seed
 * @property {number} std  standard deviation of the weights
 */

/**
 * Lines that end with `blocks`, the input `x` of the first, and `head`, the output matrix; `norm` is the blocks' own.
 * @param {DecoderSizes} sizes
 * @returns {string[]}
 */
export function decoderCode(sizes) {
  const { form, width, heads, kvHeads, layers, vocabulary, ids, seed, std } = sizes;
  const isOld = form === "gpt2";
  const shrunk = std / Math.sqrt(2 * layers);
  return [
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
    "",
    "def norm(x):",
    isOld ? "    return F.layer_norm(x, x.shape[-1:])" : "    return F.rms_norm(x, x.shape[-1:], eps=1e-6)",
    "",
    ...(isOld ? [] : ROPE),
    ...blockCode(sizes),
    `torch.manual_seed(${seed})`,
    `blocks = nn.ModuleList(Block(${width}, ${heads}, ${kvHeads}) for _ in range(${layers}))`,
    `embedding = torch.empty(${vocabulary}, ${width})`,
    ...(isOld
      ? [`positions = torch.empty(${sizes.positions}, ${width})`]
      : [`head = nn.Linear(${width}, ${vocabulary}, bias=False).weight`]),
    "torch.set_grad_enabled(False)",
    `embedding.normal_(0, ${std})`,
    ...(isOld ? [`positions.normal_(0, ${std})`] : []),
    "for name, weight in blocks.named_parameters():",
    ...(isOld ? ['    if name.endswith("bias"):', "        weight.zero_()", "        continue"] : []),
    `    weight.normal_(0, ${shrunk} if name.endswith(("w_o.weight", "w_down.weight")) else ${std})`,
    isOld ? "head = embedding  # the same matrix at both ends" : `head.normal_(0, ${std})`,
    "",
    `ids = torch.tensor([${ids.join(", ")}])`,
    isOld ? "x = embedding[ids] + positions[: len(ids)]" : "x = embedding[ids]",
  ];
}

const ROPE = [
  "def rope(x):",
  "    half = x.size(-1) // 2",
  "    angle = torch.outer(torch.arange(x.size(-2)), 10_000 ** (-torch.arange(half) / half))",
  "    a, b = x.chunk(2, -1)",
  "    return torch.cat((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1)",
  "",
];

/** @param {DecoderSizes} sizes @returns {string[]} */
function blockCode({ form, qkNorm, before, heads, kvHeads }) {
  const isOld = form === "gpt2";
  const bias = isOld ? "" : ", bias=False";
  const isShared = kvHeads < heads;
  const scale = qkNorm === "l2" ? ", scale=self.size**0.5" : "";
  return [
    "class Block(nn.Module):",
    "    def __init__(self, d, heads, kv_heads):",
    "        super().__init__()",
    "        self.size = d // heads",
    `        self.w_q = nn.Linear(d, d${bias})`,
    `        self.w_k = nn.Linear(d, kv_heads * self.size${bias})`,
    `        self.w_v = nn.Linear(d, kv_heads * self.size${bias})`,
    `        self.w_o = nn.Linear(d, d${bias})`,
    ...(isOld ? [] : [`        self.w_gate = nn.Linear(d, 4 * d${bias})`]),
    `        self.w_up = nn.Linear(d, 4 * d${bias})`,
    `        self.w_down = nn.Linear(4 * d, d${bias})`,
    "",
    "    def attention(self, n):",
    "        q, k, v = (w(n).unflatten(-1, (-1, self.size)).transpose(0, 1) for w in (self.w_q, self.w_k, self.w_v))",
    ...prepared(isOld, qkNorm, before),
    ...(isShared
      ? ["        k, v = (w.repeat_interleave(len(q) // len(k), 0) for w in (k, v))  # each KV head for its group"]
      : []),
    `        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True${scale})`,
    "        return self.w_o(mixed.transpose(0, 1).flatten(1))",
    "",
    "    def feed_forward(self, n):",
    isOld
      ? '        return self.w_down(F.gelu(self.w_up(n), approximate="tanh"))'
      : "        return self.w_down(F.silu(self.w_gate(n)) * self.w_up(n))",
    "",
    "    def forward(self, x):",
    "        x = x + self.attention(norm(x))",
    "        return x + self.feed_forward(norm(x))",
    "",
  ];
}

/**
 * What is done to queries and keys before they meet.
 * @param {boolean} isOld
 * @param {"rms" | "l2" | null} qkNorm
 * @param {boolean} before
 * @returns {string[]}
 */
function prepared(isOld, qkNorm, before) {
  if (isOld) return [];
  if (!qkNorm) return ["        q, k = rope(q), rope(k)"];
  const normed = (/** @type {string} */ inside) =>
    qkNorm === "l2" ? `F.normalize(${inside}, dim=-1)` : `norm(${inside})`;
  return before
    ? [`        q, k = rope(${normed("q")}), rope(${normed("k")})  # Qwen3's order: normalise, then rotate`]
    : [`        q, k = ${normed("rope(q)")}, ${normed("rope(k)")}  # nanochat's order: rotate, then normalise`];
}
