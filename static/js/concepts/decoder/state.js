/** The decoder's page as data: its fields, the call that a state makes, and its stations. */

import { choice, example, flag, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} DecoderState */
/** @typedef {import("../../api/types.js").AnswerTo<"decoder">} DecoderAnswer */
/** @typedef {DecoderAnswer["blocks"][number]} DecoderBlock */
/** @typedef {import("../frame/concept.js").Answered<"decoder", DecoderState> & {station: Station}} DecoderData */

const MOST_WORDS = 10;

export const fields = {
  form: choice(["modern", "llama", "gpt2"]),
  words: example(() => t("the cat saw the dog"), 200),
  qkNorm: choice(["", "rms", "l2", "none"]),
  before: flag(),
  heads: choice(["2", "4", "8"], "4"),
  kvHeads: choice(["1", "2", "4", "8"], "2"),
  layer: whole(0, 0, 1),
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
    tokens: words.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS),
    num_heads: Number(heads),
    num_kv_heads: isOld ? Number(heads) : Math.min(Number(heads), Number(kvHeads)),
    ...options,
    generate: 1,
    seed,
  };
}

/**
 * The state limited to the answer's range.
 * @param {Readonly<DecoderState>} state
 * @param {DecoderAnswer} answer
 */
export function chosenIn({ head, query, key, layer }, answer) {
  const { num_heads: heads, num_kv_heads: kept } = answer.config;
  const [at, last] = [Math.min(head, heads - 1), answer.ids.length - 1];
  const block = answer.blocks[layer];
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
 * @typedef {"norm" | "project" | "heads" | "rope" | "qk_norm" | "cache" | "share" | "scores" | "weights" | "mix"
 *   | "attention" | "feed_forward" | "next"} Station
 */

/**
 * The stations of this decoder's blocks, in the order in which they work.
 * @param {DecoderAnswer} answer
 * @returns {Station[]}
 */
export function stationsOf(answer) {
  const { config } = answer;
  const rope = config.positions === "rope" ? /** @type {const} */ (["rope"]) : [];
  const norm = config.qk_norm ? /** @type {const} */ (["qk_norm"]) : [];
  return [
    "norm",
    "project",
    "heads",
    ...(config.qk_norm_before_rope ? [...norm, ...rope] : [...rope, ...norm]),
    "cache",
    ...(config.num_kv_heads < config.num_heads ? /** @type {const} */ (["share"]) : []),
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
  const stations = stationsOf(data.answer);
  return { ...data, station: stations[Math.min(data.state.step, stations.length) - 1] };
}

/**
 * Queries, keys and values of every head as they are after a station: turned, normed or neither.
 * @param {DecoderAnswer} answer
 * @param {DecoderBlock} block
 * @param {Station} station
 */
export function vectorsAfter(answer, block, station) {
  const passed = stationsOf(answer).slice(0, stationsOf(answer).indexOf(station) + 1);
  const last = passed.filter((one) => one === "rope" || one === "qk_norm").at(-1);
  const stage = last === undefined ? "by_head" : { rope: "turned", qk_norm: "normed" }[last];
  const attention = headsOf(block);
  return { queries: attention[`queries_${stage}`], keys: attention[`keys_${stage}`], values: attention.values_by_head };
}
