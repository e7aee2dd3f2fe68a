/** Exercises about many heads; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { dealtInTurn, swapped } from "../../wording/slips.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").MultiHeadState>[]} */
export function exercises() {
  const width = 128;
  const group = 4 / 2;
  const outputs = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const asked = [1, 2];
  return [
    {
      id: "multi-head-x3",
      question: t("d_model is 128. How wide is each of 4 heads, and each of 8?"),
      labels: [t("4 heads"), t("8 heads")],
      expected: [width / 4, width / 8],
      tolerance: 0,
      slips: [
        { values: [width, width], says: t("Each head gets a part of the width: divide it by the number of heads.") },
        { values: [width * 4, width * 8], says: t("The heads share the width: divide, do not multiply.") },
        { values: [width / 8, width / 4], says: swapped() },
      ],
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
      expected: [group, ...asked.map((head) => Math.floor(head / group))],
      tolerance: 0,
      slips: [
        { values: [null, ...asked.map((head) => head % 2)], says: dealtInTurn() },
        { values: [null, ...asked], says: t("That would take a KV head for each query head: here two share one.") },
        {
          values: [2 / 4, null, null],
          says: t("That is KV heads per query head: the question asks the other way round."),
        },
      ],
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
      expected: outputs.flat(),
      tolerance: 0,
      slips: [
        {
          values: [...outputs[0].map((value, index) => value + outputs[1][index]), null, null, null],
          says: t("That adds the heads: they are put side by side."),
        },
        {
          values: outputs[0].flatMap((value, index) => [value, outputs[1][index]]),
          says: t("That lets the heads take turns: all numbers of head 0 come first."),
        },
        { values: [...outputs].reverse().flat(), says: t("The heads are the wrong way round: head 0 comes first.") },
      ],
      way: [t("Concatenating puts them side by side; nothing is added."), "(1, 2, 3, 4, 5, 6)"],
      ...served(
        "multi_head",
        {
          vectors: [[1, 2, 3, 4, 5, 6]],
          num_heads: 2,
          bias: false,
          weights: {
            values: [0, 1, 2, 3, 4, 5].map((row) => [0, 1, 2, 3, 4, 5].map((column) => Number(column === row))),
          },
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
      slips: [
        { values: [2, 4, 16], says: t("That is the number of keys: there is one output for each query.") },
        {
          values: [2, 3 * 4, 16],
          says: t("That counts the weights, one for each pair of query and key: each query has one output."),
        },
        { values: [3, 2, 16], says: t("Batch and tokens have changed places: the batch comes first.") },
      ],
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
      expected: [8 * 64],
      tolerance: 0,
      slips: [
        {
          values: [8 * 8 * 64],
          says: t("That takes d_model numbers for each head: a head gives as many as a value has."),
        },
        { values: [64], says: t("That is one head: all of them are concatenated.") },
        { values: [8 + 64], says: t("That adds the two: every head gives 64 numbers.") },
      ],
      way: [t("The heads are concatenated: heads × value size, not heads × d_model."), "8 · 64 = 512"],
      ...served("multi_head", { d_model: 512, num_heads: 8, query_len: 1, with_projections: false }, (answer) => [
        answer.sizes.output_inputs,
      ]),
    },
  ];
}
