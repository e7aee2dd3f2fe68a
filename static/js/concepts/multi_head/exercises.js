/** Exercises about many heads; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").MultiHeadState>[]} */
export function exercises() {
  return [
    {
      id: "multi-head-x3",
      question: t("d_model is 128. How wide is each of 4 heads, and each of 8?"),
      labels: [t("4 heads"), t("8 heads")],
      expected: [32, 16],
      tolerance: 0,
      way: ["128 / 4 = 32", "128 / 8 = 16"],
      state: { view: "shapes", dModel: "128", heads: "8", kvHeads: "8" },
      ...served("head_counts", { head_counts: [4, 8], d_model: 128 }, (answer) =>
        answer.counts.map((count) => count.head_dim),
      ),
    },
    {
      id: "multi-head-x3-groups",
      question: t(
        "4 query heads, 2 KV heads. How many query heads share one KV head, and which KV heads do query heads 1 and 2 use?",
      ),
      labels: [t("share one"), t("head 1"), t("head 2")],
      expected: [2, 0, 1],
      tolerance: 0,
      way: ["4 / 2 = 2", t("KV head 0 serves query heads 0 and 1, KV head 1 serves 2 and 3.")],
      state: { view: "heads", query: 1, head: 0, heads: "4", kvHeads: "2" },
      ...served("multi_head", { num_heads: 4, num_kv_heads: 2, query_len: 1, with_projections: false }, (answer) => [
        answer.sizes.group,
        answer.kv_head_of_query_head[1],
        answer.kv_head_of_query_head[2],
      ]),
    },
    {
      id: "multi-head-concat",
      question: t("Head 0 gives (1, 2, 3) and head 1 gives (4, 5, 6). What does W_O get?"),
      labels: ["1", "2", "3", "4", "5", "6"].map((place) => t("number {place}", { place })),
      expected: [1, 2, 3, 4, 5, 6],
      tolerance: 0,
      way: [t("Concatenating puts them side by side; nothing is added."), "(1, 2, 3, 4, 5, 6)"],
      ...served(
        "multi_head",
        {
          vectors: [[1, 2, 3, 4, 5, 6]],
          num_heads: 2,
          bias: false,
          weights: { values: [0, 1, 2, 3, 4, 5].map((row) => [0, 1, 2, 3, 4, 5].map((at) => Number(at === row))) },
        },
        (answer) => answer.concatenated[0],
      ),
    },
    {
      id: "multi-head-output",
      question: t("2 sequences, 3 tokens attend to 4 others, d_model 16. What is the shape of the output?"),
      labels: [t("batch"), t("tokens"), t("width")],
      expected: [2, 3, 16],
      tolerance: 0,
      way: [t("There is one output for each query."), "(2, 3, 16)"],
      state: { view: "shapes", queries: 3, keys: 4 },
      ...served(
        "multi_head",
        { d_model: 16, num_heads: 4, batch: 2, query_len: 3, key_len: 4 },
        (answer) => answer.shapes[answer.shapes.length - 1].shape,
      ),
    },
    {
      id: "multi-head-output-layer",
      question: t("8 heads with values of 64. How many inputs does the output layer have per token?"),
      labels: [t("numbers")],
      expected: [512],
      tolerance: 0,
      way: [t("The heads are concatenated: heads × value size, not heads × d_model."), "8 · 64 = 512"],
      ...served("multi_head", { d_model: 512, num_heads: 8, query_len: 1, with_projections: false }, (answer) => [
        answer.sizes.output_inputs,
      ]),
    },
  ];
}
