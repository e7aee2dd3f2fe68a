/** Exercises about the decoder's block; the server can compute each answer. */

import { headsOf } from "./state.js";
import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { lengthOne, notRooted } from "../../wording/slips.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").DecoderState>[]} */
export function exercises() {
  const body = { form: /** @type {const} */ ("modern"), num_heads: 4, num_kv_heads: 2, d_model: 16, num_layers: 2 };
  const attentionSize = ({ kvHeads = 2, output = 1 } = {}) => (1 + output) * 16 * 16 + 2 * 16 * kvHeads * 4;
  const cached = ({ sides = 2, heads = 2, bytes = 4 } = {}) => sides * 2 * heads * 4 * bytes;
  const squares = 4;
  const longest = Math.sqrt(squares);
  return [
    {
      id: "decoder-parameters",
      question: t(
        "Width 16, 4 query heads, 2 key/value heads, no biases. How many parameters do W_Q, W_K, W_V and W_O of one block have in total?",
      ),
      labels: [t("numbers")],
      expected: [attentionSize()],
      tolerance: 0,
      slips: [
        {
          values: [attentionSize({ kvHeads: 4 })],
          says: t("That gives W_K and W_V a head for each query head: there are 2 KV heads."),
        },
        { values: [attentionSize({ output: 0 })], says: t("W_O is missing: add 16 · 16 more.") },
        { values: [attentionSize({ kvHeads: 1 })], says: t("That gives W_K and W_V one head: there are 2 KV heads.") },
      ],
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
      expected: [cached()],
      tolerance: 0,
      slips: [
        {
          values: [cached({ sides: 1 })],
          says: t("That is half of it: both keys and values are cached, and in both blocks."),
        },
        { values: [cached({ heads: 4 })], says: t("That counts the query heads: only the 2 KV heads are cached.") },
        { values: [cached({ bytes: 1 })], says: t("Those are numbers: each takes 4 bytes.") },
      ],
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
      expected: [longest, longest ** 2 / Math.sqrt(squares)],
      tolerance: 0.01,
      slips: [
        { values: [squares, null], says: notRooted() },
        { values: [null, longest ** 2], says: t("That is the score before dividing by √d_k = 2.") },
        { values: [1, 1 / Math.sqrt(squares)], says: lengthOne() },
      ],
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
