/** The page of the KV cache as data: its fields and the calls that a state makes. */

import { choice, numbers, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} KVCacheState */
/** @typedef {import("../../api/types.js").AnswerTo<"kv_cache">} KVCacheAnswer */
/** @typedef {import("../../api/types.js").Call<"kv_cache/steps">} KVCacheCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"kv_cache", KVCacheState, KVCacheCall[]>} KVCacheData */

const HEADS = ["1", "2", "4", "8", "16", "32", "64"];
const MODELS = /** @type {const} */ (["gpt2", "llama-2-7b", "llama-2-70b", "llama-3-8b", "mistral-7b", "gemma-2b"]);

export const fields = {
  view: choice(["memory", "steps"]),
  preset: choice(["", ...MODELS]),
  layers: whole(1, 1, 200),
  heads: choice(HEADS, "8"),
  kvHeads: choice(HEADS, "2"),
  headDim: choice(["16", "32", "64", "128", "256"], "64"),
  batch: whole(32, 1, 1024),
  tokens: whole(2048, 1, 1_000_000),
  bytes: choice(["1", "2", "4"], "4"),
  prefill: whole(3, 0, 12),
  chunks: numbers([1, 1, 2], { least: 1, most: 8, count: 8 }),
  part: whole(0, 0, 8),
  head: whole(0, 0, 3),
};

/** @param {Readonly<KVCacheState>} state */
export function request({ preset, layers, heads, kvHeads, headDim, batch, tokens, bytes }) {
  const shared = { batch, seq_len: tokens, bytes_per_value: Number(bytes) };
  if (preset !== "") return { preset, ...shared };
  const sizes = { layers, heads: Number(heads), kv_heads: keptHeads({ heads, kvHeads }), head_dim: Number(headDim) };
  return { ...sizes, ...shared };
}

/**
 * No more heads keep keys and values than ask.
 * @param {{heads: string, kvHeads: string}} state
 */
function keptHeads({ heads, kvHeads }) {
  return Math.min(Number(heads), Number(kvHeads));
}

/** @param {Readonly<KVCacheState>} state @returns {KVCacheCall[]} */
export function also({ view, prefill, chunks }) {
  if (view !== "steps") return [];
  const body = {
    prefill,
    chunks: chunks.map(Math.round),
    num_heads: 4,
    num_kv_heads: 2,
    rope: /** @type {const} */ ("half_split"),
  };
  return [{ stem: "kv_cache/steps", body }];
}
