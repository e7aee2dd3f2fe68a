/** Our own random decoder in PyTorch: its blocks, and weights drawn in the same order from the same seed. */

import { FORMS, GATE_INPUTS, MOST, hasValueEmbedding, windowOf } from "./core/decoder_forms.js";

/**
 * @typedef {object} DecoderSizes
 * @property {import("./core/decoder_forms.js").Form} form
 * @property {"rms" | "l2" | null} qkNorm
 * @property {boolean} before  whether queries and keys are normalised before RoPE
 * @property {number} width  d_model
 * @property {number} heads
 * @property {number} kvHeads
 * @property {number} layers
 * @property {number} vocabulary
 * @property {number} longest  tokens that the decoder is made for
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
  const { form, width, layers, vocabulary, ids, seed, std } = sizes;
  const { norm, isEmbeddingNormed, positions, base, hasBias, isTied } = FORMS[form];
  const shrunk = std / Math.sqrt(2 * layers);
  const hasTable = positions === "learned";
  const embedded = hasTable ? "embedding[ids] + positions[: len(ids)]" : "embedding[ids]";
  return [
    "import torch",
    "import torch.nn.functional as F",
    "from torch import nn",
    "",
    "def norm(x):",
    norm === "layer" ? "    return F.layer_norm(x, x.shape[-1:])" : "    return F.rms_norm(x, x.shape[-1:], eps=1e-6)",
    "",
    ...(hasTable ? [] : ropeCode(base)),
    ...blockCode(sizes),
    `torch.manual_seed(${seed})`,
    ...blocksCode(sizes),
    `embedding = torch.empty(${vocabulary}, ${width})`,
    ...(hasTable ? [`positions = torch.empty(${sizes.longest}, ${width})`] : []),
    ...(isTied ? [] : [`head = nn.Linear(${width}, ${vocabulary}, bias=False).weight`]),
    "torch.set_grad_enabled(False)",
    `embedding.normal_(0, ${std})`,
    ...(hasTable ? [`positions.normal_(0, ${std})`] : []),
    "for name, weight in blocks.named_parameters():",
    ...(hasBias ? ['    if name.endswith("bias"):', "        weight.zero_()", "        continue"] : []),
    `    weight.normal_(0, ${shrunk} if name.endswith(("w_o.weight", "w_down.weight")) else ${std})`,
    isTied ? "head = embedding  # the same matrix at both ends" : `head.normal_(0, ${std})`,
    "",
    `ids = torch.tensor([${ids.join(", ")}])`,
    isEmbeddingNormed ? `x = norm(${embedded})` : `x = ${embedded}`,
  ];
}

/** @param {number} base @returns {string[]} */
function ropeCode(base) {
  return [
    "def rope(x):",
    "    half = x.size(-1) // 2",
    `    angle = torch.outer(torch.arange(x.size(-2)), ${base / 1000}_000 ** (-torch.arange(half) / half))`,
    "    a, b = x.chunk(2, -1)",
    "    return torch.cat((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1)",
    "",
  ];
}

/** The blocks: all alike, or each with its window, some with values of their own for each token. @param {DecoderSizes} sizes */
function blocksCode({ form, width, heads, kvHeads, layers, vocabulary, longest }) {
  const common = `${width}, ${heads}, ${kvHeads}`;
  if (FORMS[form].windows === null) return [`blocks = nn.ModuleList(Block(${common}) for _ in range(${layers}))`];
  const indices = Array.from({ length: layers }, (_, layer) => layer);
  const windows = indices.map((layer) => windowOf(form, layer, layers, longest) ?? longest);
  const tables = indices.map((layer) => (hasValueEmbedding(form, layer, layers) ? vocabulary : 0));
  return [
    `windows = [${windows.join(", ")}]  # how many keys a query sees, by block`,
    `words = [${tables.join(", ")}]  # rows of the table of values; 0: there is none`,
    `blocks = nn.ModuleList(Block(${common}, *own) for own in zip(windows, words))`,
  ];
}

/** @param {DecoderSizes} sizes @returns {string[]} */
function blockCode({ form, qkNorm, before, heads, kvHeads }) {
  const { feedForward, hasBias, windows, positions, qkGain } = FORMS[form];
  const bias = hasBias ? "" : ", bias=False";
  const isShared = kvHeads < heads;
  const scale = qkNorm === "l2" ? ", scale=self.size**0.5" : "";
  return [
    "class Block(nn.Module):",
    `    def __init__(self, d, heads, kv_heads${windows === null ? "" : ", window, words"}):`,
    "        super().__init__()",
    "        self.size = d // heads",
    `        self.w_q = nn.Linear(d, d${bias})`,
    `        self.w_k = nn.Linear(d, kv_heads * self.size${bias})`,
    `        self.w_v = nn.Linear(d, kv_heads * self.size${bias})`,
    `        self.w_o = nn.Linear(d, d${bias})`,
    ...(windows === null ? [] : OWN_PARTS),
    ...(feedForward === "swiglu" ? [`        self.w_gate = nn.Linear(d, 4 * d${bias})`] : []),
    `        self.w_up = nn.Linear(d, 4 * d${bias})`,
    `        self.w_down = nn.Linear(4 * d, d${bias})`,
    "",
    "    def attention(self, n):",
    "        q, k, v = (w(n).unflatten(-1, (-1, self.size)).transpose(0, 1) for w in (self.w_q, self.w_k, self.w_v))",
    ...(windows === null ? [] : VALUES),
    ...prepared(positions === "rope", qkNorm, before, qkGain),
    ...(isShared
      ? ["        k, v = (w.repeat_interleave(len(q) // len(k), 0) for w in (k, v))  # each KV head for its group"]
      : []),
    ...(windows === null ? [] : [SEEN]),
    `        mixed = F.scaled_dot_product_attention(q, k, v, ${windows === null ? "is_causal=True" : "attn_mask=seen"}${scale})`,
    "        return self.w_o(mixed.transpose(0, 1).flatten(1))",
    "",
    "    def feed_forward(self, n):",
    FEED_FORWARD[feedForward],
    "",
    "    def forward(self, x):",
    "        x = x + self.attention(norm(x))",
    "        return x + self.feed_forward(norm(x))",
    "",
  ];
}

/** In blocks with windows. */
const OWN_PARTS = [
  "        self.window, self.words = window, words",
  "        if words:  # a value for each token itself, and a gate for each KV head",
  "            self.w_token = nn.utils.skip_init(nn.Embedding, words, kv_heads * self.size)",
  `            self.w_open = nn.Linear(min(${GATE_INPUTS}, d), kv_heads, bias=False)`,
];
const VALUES = [
  "        if self.words:",
  `            gate = ${MOST} * self.w_open(n[:, :${GATE_INPUTS}]).sigmoid()`,
  "            v = v + (gate[..., None] * self.w_token(ids).unflatten(-1, (-1, self.size))).transpose(0, 1)",
];
const SEEN = "        seen = torch.ones(len(n), len(n)).tril().triu(1 - self.window).bool()";

/** @type {Record<import("./core/decoder_forms.js").FormParts["feedForward"], string>} */
const FEED_FORWARD = {
  gelu: '        return self.w_down(F.gelu(self.w_up(n), approximate="tanh"))',
  swiglu: "        return self.w_down(F.silu(self.w_gate(n)) * self.w_up(n))",
  relu_squared: "        return self.w_down(F.relu(self.w_up(n)).square())",
};

/**
 * What is done to queries and keys before they meet.
 * @param {boolean} isRotated
 * @param {"rms" | "l2" | null} qkNorm
 * @param {boolean} before
 * @param {number} gain
 * @returns {string[]}
 */
function prepared(isRotated, qkNorm, before, gain) {
  const sharper =
    gain === 1
      ? []
      : [`        q, k = ${gain} * q, ${gain} * k  # sharper: each score times ${+(gain * gain).toFixed(4)}`];
  return [...normed(isRotated, qkNorm, before), ...sharper];
}

/** @param {boolean} isRotated @param {"rms" | "l2" | null} qkNorm @param {boolean} before @returns {string[]} */
function normed(isRotated, qkNorm, before) {
  if (!isRotated) return [];
  if (!qkNorm) return ["        q, k = rope(q), rope(k)"];
  const even = (/** @type {string} */ inside) =>
    qkNorm === "l2" ? `F.normalize(${inside}, dim=-1)` : `norm(${inside})`;
  return before
    ? [`        q, k = rope(${even("q")}), rope(${even("k")})  # Qwen3's order: normalise, then rotate`]
    : [`        q, k = ${even("rope(q)")}, ${even("rope(k)")}  # nanochat's order: rotate, then normalise`];
}
