/** Exercises about projections; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { dividedByWhole, unscaled } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { mixed, softmax } from "../frame/core/attention.js";
import { fields, ofMatrices } from "./state.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ProjectionsState>[]} */
export function exercises() {
  const start = { inputs: fields.inputs.start, wq: fields.wq.start, wk: fields.wk.start, wv: fields.wv.start };
  const fourfold = start.wk.map((row) => row.map((value) => 2 * value));
  const values = [
    [1, 0.5, 0, 0],
    [0.5, 1, 0.5, 0],
    [0, 0.5, 1, 0.5],
  ];
  /** The weights of token 0 to itself and to the `others`, whose scores are 0. */
  const weights = (score = 2, divisor = Math.sqrt(4), others = 2) =>
    softmax([score / divisor, ...Array.from({ length: others }, () => 0)]);
  /** Token 1 stands between the two others. */
  const output = ([itself, other] = weights(), rows = values) => mixed([other, itself, other], rows);
  return [
    {
      id: "projections-by-hand",
      question: t("x = (1, 2). W_q swaps the two numbers, W_k doubles both. What are the query and the key of x?"),
      labels: ["q₀", "q₁", "k₀", "k₁"],
      expected: [2, 1, 2 * 1, 2 * 2],
      tolerance: 0.001,
      slips: [
        { values: [2 * 1, 2 * 2, 2, 1], says: t("Query and key have changed places: W_q swaps, W_k doubles.") },
        { values: [1, 2, null, null], says: t("That is x itself: W_q swaps its two numbers.") },
        { values: [null, null, 2 * 2, 2 * 1], says: t("That doubles the query: the key is made from x.") },
      ],
      way: ["q = W_q x = (0 · 1 + 1 · 2, 1 · 1 + 0 · 2) = (2, 1)", "k = W_k x = (2 · 1, 2 · 2) = (2, 4)"],
    },
    {
      id: "projections-found",
      question: t(
        "“it” finds “cat” and nothing else. “cat” has the key (4, 2) and the value (1, 3). What does “it” receive?",
      ),
      labels: ["o₀", "o₁"],
      expected: [1, 3],
      tolerance: 0.001,
      slips: [
        { values: [4, 2], says: t("That is the key: by it “cat” was found, but it is not passed on.") },
        { values: [4 + 1, 2 + 3], says: t("That adds the key: its work is done when “cat” is found.") },
        { values: [4 * 1, 2 * 3], says: t("That multiplies key and value: a key is compared with queries alone.") },
      ],
      way: [t("What is found by its key passes on its value: (1, 3).")],
    },
    {
      id: "projections-doubled",
      question: t("W_v is doubled. By what factor do queries and keys change, and by what factor values?"),
      labels: [t("queries and keys"), t("values")],
      expected: [1, 2],
      tolerance: 0.001,
      slips: [
        { values: [2, null], says: t("W_q and W_k make queries and keys: W_v has no say in them.") },
        { values: [null, 1], says: t("A value is W_v x: where W_v doubles, it doubles too.") },
        { values: [null, 4], says: t("Only the matrix is doubled: x stays as it is.") },
      ],
      way: [t("q = W_q x and k = W_k x stay as they are; v = W_v x doubles.")],
    },
    {
      id: "projections-weights",
      question: t(
        "X holds the first three unit vectors of R⁴, W_q = I, W_k = 2I. What weight does token 0 give to itself, and what weight to each other token?",
      ),
      labels: [t("token 0 itself"), t("each other")],
      expected: allRounded(weights().slice(0, 2), 4),
      tolerance: 0.0006,
      slips: [
        { values: weights(2, 1).slice(0, 2), says: unscaled("√d_k = √4 = 2") },
        { values: weights(2, 4).slice(0, 2), says: dividedByWhole("d_k = 4", "√4 = 2") },
        {
          values: weights(2, 2, 3).slice(0, 2),
          says: t("That takes softmax over four tokens: X holds three, of four numbers each."),
        },
      ],
      way: [
        t("q₀·k₀ = 2, all others 0; divided by √4 that is 1 and 0."),
        "e^1 / (e^1 + 2) = 2.7183 / 4.7183 = 0.5761",
        "1 / 4.7183 = 0.2119",
      ],
      state: {},
      ...served("projections", ofMatrices(start), ({ weights }) => [weights[0][0], weights[0][1]]),
    },
    {
      id: "projections-output",
      after: "projections-weights",
      question: t(
        "With X, W_q and W_k of the previous exercise, W_v holds 1 on the diagonal and ½ beside it. What is the output of token 1?",
      ),
      labels: ["o₀", "o₁", "o₂", "o₃"],
      expected: allRounded(output(), 4),
      tolerance: 0.0006,
      slips: [
        { values: output(weights(2, 1)), says: unscaled("√d_k = √4 = 2") },
        {
          values: mixed(weights(), values),
          says: t("That is the output of token 0: token 1 gives 0.5761 to its own value."),
        },
        {
          values: output(
            weights(),
            values.map((row, token) => row.map((value, index) => (index === token ? value : 0))),
          ),
          says: t("That takes unit vectors as values: the ½ beside the diagonal of W_v are missing."),
        },
      ],
      way: [
        t("The values are the columns of W_v: (1, ½, 0, 0), (½, 1, ½, 0), (0, ½, 1, ½)."),
        "0.2119 · 1 + 0.5761 · ½ = 0.5000",
        "0.2119 · ½ + 0.5761 · 1 + 0.2119 · ½ = 0.7881",
        "0.5761 · ½ + 0.2119 · 1 = 0.5000, 0.2119 · ½ = 0.1060",
      ],
      state: { query: 1 },
      ...served("projections", ofMatrices(start), ({ output }) => output[1]),
    },
    {
      id: "projections-fourfold",
      after: "projections-weights",
      question: t("The same with W_k = 4I. What weight does token 0 give to itself now?"),
      labels: [t("token 0 itself")],
      expected: [rounded(weights(4)[0], 4)],
      tolerance: 0.0006,
      slips: [
        { values: [weights(4, 1)[0]], says: unscaled("√d_k = √4 = 2") },
        { values: [weights()[0]], says: t("That is the weight for W_k = 2I: now the score is twice as large.") },
        {
          values: [weights(4, 2, 1)[0]],
          says: t("That takes softmax over two tokens: there are two others beside token 0."),
        },
      ],
      way: [t("The score is 4 / √4 = 2."), "e^2 / (e^2 + 2) = 7.3891 / 9.3891 = 0.7870"],
      state: { wk: fourfold },
      ...served("projections", ofMatrices({ ...start, wk: fourfold }), ({ weights }) => [weights[0][0]]),
    },
  ];
}
