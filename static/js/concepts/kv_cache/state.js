/** The page of the KV cache as data: its fields, the calls that a state makes, and its presets. */

import { choice, numbers, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

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

/** @returns {import("../frame/concept.js").Preset<KVCacheState>[]} */
export function presets() {
  const model = { tokens: 1, batch: 1, bytes: /** @type {const} */ ("2") };
  return [
    {
      name: t("8 heads, 2 KV heads"),
      notice: t("Query heads 0 to 3 use KV head 0, heads 4 to 7 use KV head 1: a quarter of the memory."),
      state: {},
    },
    {
      name: t("8 KV heads"),
      notice: t("Multi-head attention caches keys and values of every head: 256 MiB in each layer."),
      state: { kvHeads: "8" },
    },
    {
      name: t("One KV head"),
      notice: t("Multi-query attention: all heads share one KV head, an eighth of the memory."),
      state: { kvHeads: "1" },
    },
    {
      name: "Llama 2 7B",
      notice: t("512 KiB per token: a conversation of 4,096 tokens takes 2 GiB on top of the weights."),
      state: { ...model, preset: "llama-2-7b", tokens: 4096 },
    },
    {
      name: "Llama 3 8B",
      notice: t("Grouped-query attention: 128 KiB per token, a quarter of what full multi-head attention would need."),
      state: { ...model, preset: "llama-3-8b", tokens: 8192 },
    },
    {
      name: t("The cache at work"),
      notice: t(
        "A prompt of 3 tokens at once, then one by one, then two together: what is cached is never computed again.",
      ),
      state: { view: "steps", part: 3 },
    },
  ];
}
