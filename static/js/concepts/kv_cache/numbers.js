/**
 * The bytes of a KV cache computed in the page, for saved files: `attention_core/kv_cache.py`. A test compares every
 * number with the core's, of the published models too.
 */

/** @typedef {import("../../api/types.js").Body<"kv_cache">} Body */
/** @typedef {{layers: number, heads: number, kv_heads: number, head_dim: number}} Sizes */

/** @type {Record<string, {name: string, source: string, sizes: Sizes}>} */
const PRESETS = {
  gpt2: {
    name: "GPT-2",
    source: "config.json of openai-community/gpt2: n_layer 12, n_head 12, n_embd 768 = 12 × 64, n_positions 1024",
    sizes: { layers: 12, heads: 12, kv_heads: 12, head_dim: 64 },
  },
  "llama-2-7b": {
    name: "Llama 2 7B",
    source:
      "config.json of meta-llama/Llama-2-7b-hf: num_hidden_layers 32, num_attention_heads 32, num_key_value_heads 32, hidden_size 4096 = 32 × 128, max_position_embeddings 4096",
    sizes: { layers: 32, heads: 32, kv_heads: 32, head_dim: 128 },
  },
  "llama-2-70b": {
    name: "Llama 2 70B",
    source:
      "config.json of meta-llama/Llama-2-70b-hf: num_hidden_layers 80, num_attention_heads 64, num_key_value_heads 8, hidden_size 8192 = 64 × 128, max_position_embeddings 4096",
    sizes: { layers: 80, heads: 64, kv_heads: 8, head_dim: 128 },
  },
  "llama-3-8b": {
    name: "Llama 3 8B",
    source:
      "config.json of meta-llama/Meta-Llama-3-8B: num_hidden_layers 32, num_attention_heads 32, num_key_value_heads 8, hidden_size 4096 = 32 × 128, max_position_embeddings 8192",
    sizes: { layers: 32, heads: 32, kv_heads: 8, head_dim: 128 },
  },
  "mistral-7b": {
    name: "Mistral 7B",
    source:
      "config.json of mistralai/Mistral-7B-v0.1: num_hidden_layers 32, num_attention_heads 32, num_key_value_heads 8, hidden_size 4096 = 32 × 128, max_position_embeddings 32768; its sliding window of 4096 tokens, which would bound the cache, is not counted",
    sizes: { layers: 32, heads: 32, kv_heads: 8, head_dim: 128 },
  },
  "gemma-2b": {
    name: "Gemma 2B",
    source:
      "gemma/config.py of google/gemma_pytorch, get_config_for_2b: num_hidden_layers 18, num_attention_heads 8, num_key_value_heads 1, head_dim 256, max_position_embeddings 8192",
    sizes: { layers: 18, heads: 8, kv_heads: 1, head_dim: 256 },
  },
};

/**
 * `POST /api/kv_cache`; null for sizes that do not fit, and for more bytes than JavaScript counts exactly.
 * @param {Body} body
 */
export function kvCacheNumbers(body) {
  const { preset = null, batch = 1, seq_len: length = 1, bytes_per_value: bytes = 2 } = body;
  const model = preset === null ? null : PRESETS[preset];
  const sizes = model === null ? own(body) : model?.sizes;
  if (!sizes || sizes.heads % sizes.kv_heads) return null;
  const { layers, heads, head_dim: dim } = sizes;
  /** @param {number} kept */
  const size = (kept) => {
    const token = 2 * layers * kept * dim * bytes;
    const total = batch * length * token;
    return {
      kv_heads: kept,
      bytes_per_token: token,
      bytes_per_layer: total / layers,
      bytes_total: total,
      times_smaller_than_mha: heads / kept,
    };
  };
  const everyHead = size(heads);
  if (!Number.isSafeInteger(everyHead.bytes_total)) return null;
  return {
    ...size(sizes.kv_heads),
    preset,
    title: model?.name ?? null,
    source: model?.source ?? null,
    layers,
    heads,
    head_dim: dim,
    batch,
    seq_len: length,
    bytes_per_value: bytes,
    numbers_per_token_and_layer: 2 * sizes.kv_heads * dim,
    mha: everyHead,
    mqa: size(1),
    kv_head_of_query_head: Array.from({ length: heads }, (_, head) => Math.floor((head * sizes.kv_heads) / heads)),
  };
}

/** @param {Body} body @returns {Sizes | null} */
function own({ layers, kv_heads: kept, heads, head_dim: dim }) {
  return layers && kept && dim ? { layers, heads: heads ?? kept, kv_heads: kept, head_dim: dim } : null;
}
