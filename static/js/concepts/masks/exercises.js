/** Exercises about masks; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { maskAfterSoftmax, maskedCounted, sharesOfScores, withoutItself } from "../../wording/slips.js";
import { allRounded } from "../../base/numbers.js";
import { shares, softmax } from "../frame/core/attention.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").MasksState>[]} */
export function exercises() {
  const scores = [
    [1, 2, 3],
    [0.5, 1.5, 2.5],
    [1.2, 0.8, 2],
  ];
  const causal = { kind: /** @type {const} */ ("causal"), scores };
  const hidden = (/** @type {number} */ query, fill = -Infinity) =>
    scores[query].map((score, key) => (key <= query ? score : fill));
  const down = scores.map((_, key) => softmax(scores.map((row) => row[key])));
  const inWindow = (/** @type {number} */ query, window = 3) => Math.min(query + 1, window);
  const withPrefix = (/** @type {number} */ query, prefix = 3) => Math.max(query + 1, prefix);
  const leaked = (/** @type {number} */ fill) => softmax([0, 10_000 + fill])[1];
  return [
    {
      id: "masks-x2",
      question: t("Scores 1 2 3 / 0.5 1.5 2.5 / 1.2 0.8 2, causal mask. What are the weights of query 1?"),
      labels: ["α₁₀", "α₁₁", "α₁₂"],
      expected: allRounded(softmax(hidden(1)), 4),
      tolerance: 0.0006,
      slips: [
        { values: softmax(scores[1]), says: maskedCounted() },
        { values: softmax(scores[1]).map((weight, key) => (key <= 1 ? weight : 0)), says: maskAfterSoftmax() },
        {
          values: softmax(hidden(1, 0)),
          says: t("That takes 0 for the hidden score: it must be −∞, for e^0 = 1 still counts."),
        },
      ],
      way: [
        t("Only keys 0 and 1 may be attended to: scores 0.5 and 1.5."),
        "e^0.5 = 1.6487, e^1.5 = 4.4817",
        "1.6487 / 6.1304 = 0.2689, 4.4817 / 6.1304 = 0.7311",
      ],
      state: { query: 1 },
      ...served("masks", causal, ({ weights }) => /** @type {number[][]} */ (weights)[1]),
    },
    {
      id: "masks-x2-last",
      after: "masks-x2",
      question: t("And those of query 2?"),
      labels: ["α₂₀", "α₂₁", "α₂₂"],
      expected: allRounded(softmax(hidden(2)), 4),
      tolerance: 0.0006,
      slips: [
        {
          values: down.map((column) => column[2]),
          says: t("That takes softmax down the columns: the weights of a query are a row."),
        },
        { values: shares(scores[2]), says: sharesOfScores() },
        { values: [...softmax(scores[2].slice(0, 2)), 0], says: withoutItself() },
      ],
      way: [
        t("It may attend to everything: scores 1.2, 0.8 and 2."),
        "e^1.2 = 3.3201, e^0.8 = 2.2255, e^2 = 7.3891",
        "3.3201 / 12.9347 = 0.2567 …",
      ],
      state: { query: 2 },
      ...served("masks", causal, ({ weights }) => /** @type {number[][]} */ (weights)[2]),
    },
    {
      id: "masks-window",
      question: t(
        "8 tokens, a causal sliding window of 3. How many keys does query 0 attend to, and how many does query 7?",
      ),
      labels: [t("query 0"), t("query 7")],
      expected: [inWindow(0), inWindow(7)],
      tolerance: 0,
      slips: [
        { values: [3, inWindow(7)], says: t("Before query 0 there is nothing that a window could hold.") },
        { values: [inWindow(0) - 1, inWindow(7) - 1], says: withoutItself() },
        {
          values: [inWindow(0, 8), inWindow(7, 8)],
          says: t("That is a causal mask without a window: at most the last 3 keys are left."),
        },
      ],
      way: [t("Query 7 attends to keys 5, 6 and 7."), t("There is nothing before query 0: it attends to itself.")],
      ...served("masks", { kind: "sliding_window", window: 3, num_keys: 8 }, ({ allowed }) =>
        [0, 7].map((query) => /** @type {boolean[][]} */ (allowed)[query].filter(Boolean).length),
      ),
    },
    {
      id: "masks-prefix",
      question: t(
        "8 tokens, of which the first 3 are a prefix visible to all. How many keys does query 1 attend to, and how many does query 5?",
      ),
      labels: [t("query 1"), t("query 5")],
      expected: [withPrefix(1), withPrefix(5)],
      tolerance: 0,
      slips: [
        {
          values: [withPrefix(1, 0), withPrefix(5, 0)],
          says: t("That is a causal mask without a prefix: the prefix is visible to all, later tokens of it too."),
        },
        {
          values: [withPrefix(1, 0) + 3, withPrefix(5, 0) + 3],
          says: t("That counts the prefix twice: some of its tokens come before the query anyway."),
        },
        { values: [null, withPrefix(5) - 1], says: withoutItself() },
      ],
      way: [
        t("Query 1 is in the prefix: it attends to all 3 prefix tokens, including the one after it."),
        t("Query 5 attends to everything up to itself: keys 0 to 5."),
      ],
      ...served("masks", { kind: "prefix", prefix: 3, num_keys: 8 }, ({ allowed }) =>
        [1, 5].map((query) => /** @type {boolean[][]} */ (allowed)[query].filter(Boolean).length),
      ),
    },
    {
      id: "masks-leak",
      question: t(
        "A padding key has the score 10,000, the only real key the score 0. The mask adds −10,000, in float16. What weight does the padding get?",
      ),
      labels: [t("weight")],
      expected: [leaked(-10_000)],
      tolerance: 0.001,
      slips: [
        { values: [leaked(-Infinity)], says: t("That is the weight with −∞: this mask only adds −10,000.") },
        { values: [leaked(0)], says: t("That is the weight without the mask: add its −10,000 to the score.") },
      ],
      way: [
        t("10,000 − 10,000 = 0: both keys have score 0, and softmax splits the weight evenly."),
        t("With −∞ the weight is exactly 0, whatever the score."),
      ],
      ...served(
        "masks",
        {
          kind: "custom",
          allowed: [[true, false]],
          scores: [[0, 10_000]],
          fills: [-10_000],
          precisions: ["float16"],
        },
        (answer) => [answer.leaks[0].largest],
      ),
    },
  ];
}
