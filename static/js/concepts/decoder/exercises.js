/** Exercises about the decoder's block; the server can compute each answer. */

import { headsOf } from "./state.js";
import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").DecoderState>[]} */
export function exercises() {
  const body = { form: /** @type {const} */ ("modern"), num_heads: 4, num_kv_heads: 2, d_model: 16, num_layers: 2 };
  return [
    {
      id: "decoder-parameters",
      question: t(
        "Width 16, 4 query heads, 2 key/value heads, no biases. How many parameters do W_Q, W_K, W_V and W_O of one block have in total?",
      ),
      labels: [t("numbers")],
      expected: [768],
      tolerance: 0,
      way: [
        t("Heads of 16 / 4 = 4 numbers; keys and values have 2 · 4 = 8 columns."),
        "16 · 16 + 16 · 8 + 16 · 8 + 16 · 16 = 768",
      ],
      state: {},
      ...served("decoder", body, ({ parameters, config }) => [parameters.attention / config.num_layers]),
    },
    {
      id: "decoder-cache",
      question: t(
        "Width 16, 4 query heads, 2 key/value heads and 2 blocks, in float32: how many bytes does the cache keep for each token?",
      ),
      labels: [t("bytes")],
      expected: [128],
      tolerance: 0,
      way: [t("A key and a value, in 2 blocks, of 2 heads with 4 numbers of 4 bytes."), "2 · 2 · 2 · 4 · 4 = 128"],
      state: {},
      ...served("decoder", body, (answer) => [answer.kv_cache_bytes_per_token]),
    },
    {
      id: "decoder-norm",
      question: t(
        "Heads of dimension 4 with RMS norm of queries and keys. How long is every query, and what is the largest possible scaled score?",
      ),
      labels: [t("length"), t("score")],
      expected: [2, 2],
      tolerance: 0.01,
      way: [
        t("The mean square is 1, so the squares add up to 4 and the length is √4 = 2."),
        t("q·k is at most 2 · 2 = 4, divided by √4: 2."),
      ],
      state: {},
      ...served("decoder", body, ({ blocks: [block] }) => {
        const [query] = headsOf(block).queries_normed[0];
        const length = Math.hypot(...query);
        return [length, (length * length) / Math.sqrt(query.length)];
      }),
    },
  ];
}
