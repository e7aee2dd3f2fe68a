/** How the stations of a block are called, and which of them lie in the residual stream. */

import { t } from "../../base/i18n.js";
import { small } from "../../base/numbers.js";

/** @param {string} station  as the API calls it */
export function stationName(station) {
  /** @type {Record<string, string>} */
  const names = {
    token_embedding: t("row of the token table"),
    position_embedding: t("row of the position table"),
    segment_embedding: t("row of the segment table"),
    embedding_sum: t("their sum"),
    embeddings: t("input of the first block"),
    inputs: t("block input"),
    attention_normed: t("normalised, for attention"),
    head_outputs: t("head outputs, concatenated"),
    attention_output: t("what attention adds"),
    attention_sum: t("sum"),
    after_attention: t("after attention"),
    feed_forward_normed: t("normalised, for the feed-forward layer"),
    feed_forward_hidden: t("hidden layer of feed-forward"),
    feed_forward_output: t("what feed-forward adds"),
    feed_forward_sum: t("sum"),
    outputs: t("block output"),
  };
  return names[station] ?? station;
}

/** A step's name: short. @param {string} station */
export function stepName(station) {
  /** @type {Record<string, string>} */
  const names = {
    inputs: t("In"),
    attention_normed: t("Norm"),
    head_outputs: t("Heads"),
    attention_output: t("W_O"),
    attention_sum: t("Add"),
    after_attention: t("Add"),
    feed_forward_normed: t("Norm"),
    feed_forward_hidden: t("Hidden"),
    feed_forward_output: t("W_down"),
    feed_forward_sum: t("Add"),
    outputs: t("Add"),
  };
  return names[station] ?? station;
}

/** The letter of a station in formulas. @type {Record<string, string>} */
export const SIGNS = {
  token_embedding: "e",
  position_embedding: "p",
  segment_embedding: "s",
  embeddings: "x",
  inputs: "x",
  attention_normed: "n",
  attention_output: "a",
  attention_sum: "s",
  after_attention: "y",
  feed_forward_normed: "m",
  feed_forward_output: "f",
  feed_forward_sum: "r",
  outputs: "z",
};

/** @type {ReadonlySet<string>} */
export const IN_STREAM = new Set(["inputs", "attention_sum", "after_attention", "feed_forward_sum", "outputs"]);

/** @param {string} station  in the branch of attention, or in that of the feed-forward layer */
export function isAttention(station) {
  return station.startsWith("attention") || station === "head_outputs";
}

/** @param {"pre" | "post" | "parallel"} order */
export function orderName(order) {
  return { pre: t("pre-norm"), post: t("post-norm"), parallel: t("parallel branches") }[order];
}

/** @param {{difference: number, holds: boolean}[]} checks */
export function checksSay(checks) {
  return t("{count} of {total} equations hold; the largest difference is {largest}.", {
    count: checks.filter((check) => check.holds).length,
    total: checks.length,
    largest: small(Math.max(...checks.map((check) => check.difference))),
  });
}
