/** The decoder's page as data: its fields, the call that a state makes, and its stations. */

import { choice, example, flag, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} DecoderState */
/** @typedef {import("../../api/types.js").AnswerTo<"decoder">} DecoderAnswer */
/** @typedef {DecoderAnswer["blocks"][number]} DecoderBlock */
/** @typedef {import("../frame/concept.js").Answered<"decoder", DecoderState> & {station: Station}} DecoderData */

const MOST_WORDS = 10;
/** Blocks of nanochat's forms: its pattern of windows once. The others have as many as the API gives by itself. */
export const NANOCHAT_BLOCKS = 4;

export const fields = {
  form: choice(["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"]),
  words: example(() => t("the cat saw the dog"), 200),
  qkNorm: choice(["", "rms", "l2", "none"]),
  before: flag(),
  heads: choice(["2", "4", "8"], "4"),
  kvHeads: choice(["1", "2", "4", "8"], "2"),
  layer: whole(0, 0, NANOCHAT_BLOCKS - 1),
  head: whole(1, 0, 7),
  query: whole(4, 0, MOST_WORDS - 1),
  key: whole(1, 0, MOST_WORDS - 1),
  seed: whole(0, 0, 9999),
};

/** @param {Readonly<DecoderState>} state */
export function request({ form, words, qkNorm, before, heads, kvHeads, seed }) {
  const isOld = form === "gpt2";
  const options = {
    ...(qkNorm && !isOld ? { qk_norm: qkNorm } : {}),
    ...(before && !isOld ? { qk_norm_before_rope: true } : {}),
  };
  return {
    form,
    ...(isNanochat(form) ? { num_layers: NANOCHAT_BLOCKS } : {}),
    tokens: words.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS),
    num_heads: Number(heads),
    num_kv_heads: isOld ? Number(heads) : Math.min(Number(heads), Number(kvHeads)),
    ...options,
    generate: 1,
    seed,
  };
}

/** @param {DecoderState["form"]} form */
function isNanochat(form) {
  return form === "nanochat_2025" || form === "nanochat_2026";
}

/**
 * The state limited to the answer's range.
 * @param {Readonly<DecoderState>} state
 * @param {DecoderAnswer} answer
 */
export function chosenIn({ head, query, key, layer }, answer) {
  const { num_heads: heads, num_kv_heads: kept } = answer.config;
  const [at, last] = [Math.min(head, heads - 1), answer.ids.length - 1];
  const block = answer.blocks[Math.min(layer, answer.blocks.length - 1)];
  return {
    block,
    attention: headsOf(block),
    head: at,
    kept: Math.floor(at / (heads / kept)),
    query: Math.min(query, last),
    key: Math.min(key, last, query),
  };
}

/**
 * What a block's attention holds for each head, by its name.
 * @param {DecoderBlock} block
 */
export function headsOf({ attention }) {
  return /** @type {Record<string, number[][][]>} */ (attention);
}

/**
 * @typedef {"norm" | "project" | "heads" | "value_embedding" | "rope" | "qk_norm" | "sharpen" | "cache" | "share"
 *   | "window" | "scores" | "weights" | "mix" | "attention" | "feed_forward" | "next"} Station
 */

/** Stations that nanochat has had since 2026. @type {ReadonlySet<Station>} */
export const ADDED = new Set(["value_embedding", "sharpen", "window"]);

/**
 * The stations of a block of this decoder, in the order in which they work.
 * @param {DecoderAnswer["config"]} config
 * @param {DecoderBlock} block
 * @returns {Station[]}
 */
export function stationsOf(config, block) {
  const has = (/** @type {Station} */ station, /** @type {boolean} */ isThere) => (isThere ? [station] : []);
  const rope = has("rope", config.positions === "rope");
  const norm = has("qk_norm", Boolean(config.qk_norm));
  return [
    "norm",
    "project",
    "heads",
    ...has("value_embedding", block.value_gate !== null),
    ...(config.qk_norm_before_rope ? [...norm, ...rope] : [...rope, ...norm]),
    ...has("sharpen", config.qk_gain !== 1),
    "cache",
    ...has("share", config.num_kv_heads < config.num_heads),
    ...has("window", config.window_pattern !== null),
    "scores",
    "weights",
    "mix",
    "attention",
    "feed_forward",
    "next",
  ];
}

/**
 * With the station of the step that is shown.
 * @param {import("../frame/concept.js").Answered<"decoder", DecoderState>} data
 * @returns {DecoderData}
 */
export function lookedAt(data) {
  const stations = stationsOf(data.answer.config, chosenIn(data.state, data.answer).block);
  return { ...data, station: stations[Math.min(data.state.step, stations.length) - 1] };
}

/** What the API calls queries and keys after a station. @type {Partial<Record<Station, string>>} */
const MAKES = { rope: "turned", qk_norm: "normed", sharpen: "sharpened" };

/**
 * Queries, keys and values of every head as they are after a station, by the last one before it that changes them.
 * @param {DecoderAnswer} answer
 * @param {DecoderBlock} block
 * @param {Station} station
 */
export function vectorsAfter(answer, block, station) {
  const all = stationsOf(answer.config, block);
  const passed = all.slice(0, all.indexOf(station) + 1);
  const stage =
    passed
      .map((one) => MAKES[one])
      .filter(Boolean)
      .at(-1) ?? "by_head";
  const attention = headsOf(block);
  const values = passed.includes("value_embedding") ? "values_added" : "values_by_head";
  return { queries: attention[`queries_${stage}`], keys: attention[`keys_${stage}`], values: attention[values] };
}
