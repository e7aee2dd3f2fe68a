/** The numbers at each station of a decoder's block, for the chosen head. */

import { chosenIn, vectorsAfter } from "./state.js";
import { t } from "../../base/i18n.js";

/**
 * The matrices of a station, for the chosen head.
 * @param {import("./state.js").DecoderData} data
 * @param {import("./state.js").Station} station
 * @returns {{title: string, values: (number | string)[][], kind: "vectors" | "seen" | "scores" | "weights" | "owners" | "next"}[]}
 */
export function matricesOf({ state, answer }, station) {
  const { block, attention, head, kept } = chosenIn(state, answer);
  const projected = /** @type {Record<string, number[][]>} */ (block.attention);
  const after = vectorsAfter(answer, block, station);
  const vectors = (/** @type {string} */ title, /** @type {number[][]} */ values) => ({
    title,
    values,
    kind: /** @type {const} */ ("vectors"),
  });
  const [queries, keys, values] = [t("queries"), t("keys"), t("values")];
  const heads = {
    q: vectors(queries, after.queries[head]),
    k: vectors(keys, after.keys[kept]),
    v: vectors(values, after.values[kept]),
  };
  switch (station) {
    case "norm":
      return [vectors(t("the stream x"), block.inputs), vectors(t("normed"), block.attention_normed)];
    case "project":
      return [
        vectors(queries, projected.queries_projected),
        vectors(keys, projected.keys_projected),
        vectors(values, projected.values_projected),
      ];
    case "heads":
      return [heads.q, heads.k, heads.v];
    case "value_embedding":
      return [vectors(t("the token's own row, times its gate"), gatedRows(block, kept)), heads.v];
    case "rope":
    case "qk_norm":
    case "sharpen":
      return [heads.q, heads.k];
    case "cache":
      return [heads.k, heads.v];
    case "share":
      return [
        { title: t("which query head uses which key/value head"), values: ownersOf(answer.config), kind: "owners" },
      ];
    case "window":
      return [{ title: t("which keys a query sees"), values: seenKeys(block), kind: "seen" }];
    case "scores":
      return [{ title: t("masked scores"), values: attention.masked_scores[head], kind: "scores" }];
    case "weights":
      return [{ title: t("weights"), values: attention.weights[head], kind: "weights" }];
    case "mix":
      return [vectors(t("mixed values of this head"), attention.head_outputs[head])];
    case "attention":
      return [
        vectors(t("what attention adds"), block.attention_output),
        vectors(t("the stream y"), block.after_attention),
      ];
    case "feed_forward":
      return [
        vectors(t("what feed-forward adds"), block.feed_forward_output),
        vectors(t("the stream z"), block.outputs),
      ];
    case "next":
      return [{ title: t("probabilities of the next token"), values: answer.probabilities, kind: "next" }];
  }
}

/**
 * What a value embedding adds to the values of a key/value head.
 * @param {import("./state.js").DecoderBlock} block
 * @param {number} kept
 */
function gatedRows({ value_embedding: rows, value_gate: gate }, kept) {
  return rows && gate ? rows[kept].map((row, token) => row.map((value) => gate[kept][token] * value)) : [];
}

/** 1 where a query sees a key; a single token, which has no mask, sees itself. @param {import("./state.js").DecoderBlock} block */
function seenKeys({ attention, inputs }) {
  const mask = /** @type {boolean[][]} */ (attention.mask ?? inputs.map(() => [true]));
  return mask.map((row) => row.map(Number));
}

/** @param {{num_heads: number, num_kv_heads: number}} config */
function ownersOf({ num_heads: heads, num_kv_heads: kept }) {
  return Array.from({ length: heads }, (_, head) =>
    Array.from({ length: kept }, (_, own) => Number(Math.floor(head / (heads / kept)) === own)),
  );
}
