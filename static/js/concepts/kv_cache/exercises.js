/** Exercises about the KV cache; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { countedFromOne, dealtInTurn, keysOnly, otherUnit, withoutItself } from "../../wording/slips.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").KVCacheState>[]} */
export function exercises() {
  const eight = { layers: 1, heads: 8, head_dim: 64, batch: 32, seq_len: 2048, bytes_per_value: 4 };
  const MIB = 1024 ** 2;
  const layer = ({ sides = 2, batch = 32, unit = MIB } = {}) =>
    [8, 2, 1].map((heads) => (sides * heads * 64 * 4 * batch * 2048) / unit);
  const token = ({ sides = 2, each: bytesEach = 2, layers = 80, unit = 1024 } = {}) =>
    (sides * layers * 8 * 128 * bytesEach) / unit;
  const asked = [3, 4];
  const group = 8 / 2;
  const arriving = [1, 2];
  return [
    {
      id: "kv-cache-layer",
      question: t(
        "8 heads of 64, batch 32, 2,048 tokens, 4 bytes. How many MiB does one layer cache with 8, 2 and 1 KV heads?",
      ),
      labels: [t("8 KV heads"), t("2 KV heads"), t("1 KV head")],
      expected: layer(),
      tolerance: 0.5,
      slips: [
        { values: layer({ sides: 1 }), says: keysOnly() },
        { values: layer({ unit: 10 ** 6 }), says: t("That is in MB, millions of bytes: a MiB is 1024² bytes.") },
        { values: layer({ batch: 1 }), says: t("That is one sequence: the batch has 32.") },
      ],
      way: ["2 · 8 · 64 · 4 · 32 · 2048 = 268,435,456", "268,435,456 / 1024² = 256", "256 / 4 = 64, 256 / 8 = 32"],
      state: {},
      ...served("kv_cache", { ...eight, kv_heads: 2 }, (answer) =>
        [answer.mha, answer, answer.mqa].map((size) => size.bytes_per_layer / 1024 ** 2),
      ),
    },
    {
      id: "kv-cache-token",
      question: t(
        "Llama 2 70B has 80 layers and 8 KV heads of dimension 128. How many KiB does a token take in half precision?",
      ),
      labels: ["KiB"],
      expected: [token()],
      tolerance: 0.5,
      slips: [
        { values: [token({ sides: 1 })], says: keysOnly() },
        { values: [token({ each: 4 })], says: t("That takes 4 bytes for a number: in half precision it is 2.") },
        { values: [token({ unit: 1 })], says: otherUnit(t("bytes"), "1024", "KiB") },
      ],
      way: ["2 · 80 · 8 · 128 · 2 = 327,680", "327,680 / 1024 = 320"],
      state: { preset: "llama-2-70b", batch: 1, tokens: 1, bytes: "2" },
      ...served("kv_cache", { preset: "llama-2-70b" }, (answer) => [answer.bytes_per_token / 1024]),
    },
    {
      id: "kv-cache-owner",
      question: t("8 query heads, 2 KV heads. Which KV head do query heads 3 and 4 use?"),
      labels: [t("head 3"), t("head 4")],
      expected: asked.map((head) => Math.floor(head / group)),
      tolerance: 0,
      slips: [
        { values: asked.map((head) => head % 2), says: dealtInTurn() },
        { values: asked.map((head) => Math.floor(head / group) + 1), says: countedFromOne() },
        { values: asked, says: t("That would take a KV head for each query head: here four share one.") },
      ],
      way: [
        t("Four neighbours share: heads 0 to 3 use KV head 0, heads 4 to 7 use KV head 1."),
        "3 ÷ 4 = 0.75 → 0, 4 ÷ 4 = 1 → 1",
      ],
      state: {},
      ...served("kv_cache", { ...eight, kv_heads: 2 }, (answer) =>
        [3, 4].map((head) => answer.kv_head_of_query_head[head]),
      ),
    },
    {
      id: "kv-cache-chunk",
      question: t("5 tokens are cached, and 2 arrive together. How many keys may each of the two attend to?"),
      labels: [t("the first"), t("the second")],
      expected: arriving.map((place) => 5 + place),
      tolerance: 0,
      slips: [
        {
          values: arriving.map(() => 5 + arriving.length),
          says: t("Within the chunk, too, the first may not attend to the second."),
        },
        { values: arriving.map((place) => 5 + place - 1), says: withoutItself() },
        { values: arriving, says: t("That is the chunk alone: all that is cached may be attended to as well.") },
      ],
      way: [t("Everything cached, and within the chunk nothing later: 5 + 1 = 6 and 5 + 2 = 7.")],
      state: { view: "steps", part: 3 },
      ...served(
        "kv_cache/steps",
        { prefill: 3, chunks: [1, 1, 2], num_heads: 4, num_kv_heads: 2, rope: "half_split" },
        ({ steps }) => steps[steps.length - 1].mask.map((row) => row.filter(Boolean).length),
      ),
    },
  ];
}
