/** Exercises about norms of queries and keys; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import {
  crosswise,
  lengthOne,
  lengthsAdded,
  notCentred,
  notRooted,
  oneLength,
  sampleVariance,
} from "../../wording/slips.js";
import { rounded } from "../../base/numbers.js";
import { layerNorm } from "../frame/core/vector_norms.js";
import { dot, length } from "../frame/core/attention.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").QKNormState>[]} */
export function exercises() {
  const [q, k] = [
    [3, 4],
    [4, 3],
  ];
  const product = dot(q, k);
  const pair = [1, 3];
  const withLength = (/** @type {number[]} */ vector) => [...vector, length(vector)];
  const size = 64;
  const root = Math.sqrt(size);
  return [
    {
      id: "qk-norm-cosine",
      question: t("q = (3, 4) and k = (4, 3). What is their dot product, and what is it after an L2 norm of both?"),
      labels: [t("before"), t("after")],
      expected: [product, product / (length(q) * length(k))],
      tolerance: 0.001,
      slips: [
        {
          values: [q[0] * k[1] + q[1] * k[0], (q[0] * k[1] + q[1] * k[0]) / (length(q) * length(k))],
          says: crosswise(),
        },
        { values: [null, product / length(q)], says: oneLength() },
        { values: [null, product / (length(q) + length(k))], says: lengthsAdded() },
      ],
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
      expected: [...layerNorm(pair), rounded(length(layerNorm(pair)), 4)],
      tolerance: 0.001,
      slips: [
        { values: withLength(layerNorm(pair, { isCentred: false })), says: notCentred() },
        { values: withLength(layerNorm(pair, { degrees: pair.length - 1 })), says: sampleVariance() },
        { values: [null, null, length(layerNorm(pair)) ** 2], says: notRooted() },
      ],
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
      expected: [root, root * root],
      tolerance: 0.001,
      slips: [
        { values: [1, 1], says: lengthOne() },
        { values: [size, size ** 2], says: t("That is the square of the length: take its root.") },
        { values: [null, (root * root) / root], says: t("That is the scaled score: q·k is before dividing by √64.") },
      ],
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
      expected: [root, 0.5 * root],
      tolerance: 0.001,
      slips: [
        { values: [size, 0.5 * size], says: t("That takes D as the factor: it is its root, √64.") },
        { values: [1 / root, 0.5 / root], says: t("That divides the cosine by √D: nGPT multiplies by it.") },
        { values: [null, 0.5], says: t("That is the cosine: multiply it by the factor.") },
      ],
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
