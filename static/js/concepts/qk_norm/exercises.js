/** Exercises about norms of queries and keys; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").QKNormState>[]} */
export function exercises() {
  return [
    {
      id: "qk-norm-cosine",
      question: t("q = (3, 4) and k = (4, 3). What is their dot product, and what is it after an L2 norm of both?"),
      labels: [t("before"), t("after")],
      expected: [24, 0.96],
      tolerance: 0.001,
      way: ["3 · 4 + 4 · 3 = 24", t("Both have length 5: 24 / (5 · 5) = 0.96, the cosine of the angle between them.")],
      state: { queries: [[3, 4]], keys: [[4, 3]], key: 0 },
      ...served("qk_norm", { queries: [[3, 4]], keys: [[4, 3]] }, ({ norms }) => [
        norms[0].dot_products[0][0],
        norms[3].dot_products[0][0],
      ]),
    },
    {
      id: "qk-norm-layer",
      question: t("LayerNorm of (1, 3), without gain and shift: which two numbers, and how long is the vector?"),
      labels: ["x₀", "x₁", t("length")],
      expected: [-1, 1, 1.4142],
      tolerance: 0.001,
      way: [
        t("Mean 2 and variance 1: (1 − 2) / 1 = −1 and (3 − 2) / 1 = 1."),
        t("Length √2 = 1.4142, the root of its size and not 1."),
      ],
      state: { queries: [[1, 3]], keys: [[1, 3]], key: 0, kind: "layer" },
      ...served("qk_norm", { queries: [[1, 3]], keys: [[1, 3]] }, ({ norms }) => [
        ...norms[1].queries[0],
        norms[1].query_norms[0],
      ]),
    },
    {
      id: "qk-norm-rms",
      question: t(
        "A head of dimension 64, RMS norm without a scale. How long is each query, and what is the largest possible q·k?",
      ),
      labels: [t("length"), t("at most")],
      expected: [8, 64],
      tolerance: 0.001,
      way: [t("The mean square is 1, so the sum of 64 squares is 64: length √64 = 8."), "8 · 8 · 1 = 64"],
      ...served("qk_norm", { size: 64, num_queries: 1, num_keys: 1 }, ({ norms }) => [
        norms[2].query_norms[0],
        nonNull(norms[2].bound),
      ]),
    },
    {
      id: "qk-norm-ngpt",
      question: t(
        "nGPT, a head of dimension 64, learned scale 1. What is the cosine multiplied by, and what is the score of a cosine of 0.5?",
      ),
      labels: [t("factor"), t("score")],
      expected: [8, 4],
      tolerance: 0.001,
      way: [
        t("The factor is √D: products of unit vectors have variance 1/D, which √D brings back to 1."),
        "√64 = 8, 8 · 0.5 = 4",
      ],
      ...served("qk_norm", { size: 64, num_queries: 1, num_keys: 1 }, ({ norms }) => [
        nonNull(norms[3].score_scale),
        0.5 * nonNull(norms[3].score_scale),
      ]),
    },
  ];
}
