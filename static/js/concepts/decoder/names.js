/** What the stations of a decoder's block are called. */

import { t } from "../../base/i18n.js";

/**
 * @param {import("./state.js").Station} station
 * @param {import("./state.js").DecoderAnswer["config"]} config
 */
export function stationName(station, config) {
  const names = {
    norm: config.norm === "rms" ? t("RMS norm") : t("Layer norm"),
    project: t("Projections"),
    heads: t("Split into heads"),
    value_embedding: t("Value embedding, gated"),
    rope: "RoPE",
    qk_norm: t("QK-norm"),
    sharpen: t("Queries and keys × {gain}", { gain: config.qk_gain }),
    cache: t("KV cache"),
    share: t("Shared key/value heads"),
    window: t("Keys in the window"),
    scores: t("Scores"),
    weights: t("Weights"),
    mix: t("Mixed values"),
    attention: t("Added to the residual stream"),
    feed_forward: t("Feed-forward, added"),
    next: t("The next token"),
  };
  return names[station];
}
