/** Presets of the scoring lab. */

import { t } from "../../base/i18n.js";
import { identity } from "./state.js";

const SIZE = 4;
const UNITS = identity(SIZE).slice(0, 3);

/** Fixed random values, the same for everyone. */
const TOKENS = {
  queries: [
    [0.5, -1.2, 0.8],
    [1.4, 0.3, -0.6],
    [-0.9, 0.7, 1.1],
  ],
  keys: [
    [1.1, -0.4, 0.6],
    [-0.7, 1.3, 0.2],
    [0.3, 0.9, -1.5],
  ],
  values: [
    [0.2, 1, -0.8],
    [1.6, -0.5, 0.4],
    [-1.1, 0.6, 1.2],
  ],
};

/** @param {number} degrees */
function unit(degrees) {
  return [Math.cos, Math.sin].map((one) => Number(one((degrees * Math.PI) / 180).toFixed(6)) + 0);
}

const AROUND = Array.from({ length: 10 }, (_, index) => unit(36 * index));

/** @returns {import("../frame/concept.js").Preset<import("./state.js").ScoringState>[]} */
export function presets() {
  return [
    {
      name: t("Two by two"),
      notice: t(
        "Each query finds its own key: 0.6698 of its weight, and 0.3302 for the other. The output leans the same way.",
      ),
      state: {},
    },
    {
      name: t("One query"),
      notice: t(
        "Scores 2 and 0, divided by √2: weights 0.8044 and 0.1956, so the output is 0.8044 · 5 + 0.1956 · 10 = 5.978.",
      ),
      state: { queries: [[2, 0]], values: [[5], [10]] },
    },
    {
      name: t("Three roles of one input"),
      notice: t(
        "Queries, keys and values are three projections of the same three unit vectors X: X itself, 2X, and X through a banded matrix. The scaled scores are the identity, so each token attends to itself with 0.5761.",
      ),
      state: {
        queries: UNITS,
        keys: UNITS.map((row) => row.map((one) => 2 * one)),
        values: [
          [1, 0.5, 0, 0],
          [0.5, 1, 0.5, 0],
          [0, 0.5, 1, 0.5],
        ],
        story: "library",
      },
    },
    {
      name: t("Swap keys and values"),
      notice: t(
        "The same numbers in other roles: what is compared decides the weights, what is mixed decides the output. Rows still add up to 1.",
      ),
      state: { ...TOKENS, beside: "swapped" },
    },
    {
      name: t("Additive"),
      notice: t("A hidden layer compares query and key, so they may differ in size: three components here, two there."),
      state: {
        queries: TOKENS.queries.slice(0, 2),
        keys: [
          [1, 0],
          [0, 1],
          [-1, 0],
          [0, -1],
        ],
        values: [[1], [2], [3], [4]],
        mechanism: "additive",
      },
    },
    {
      name: t("Ten directions"),
      notice: t(
        "A query at 45° among ten unit vectors: the key at 36° gets the most, 0.2121, and the output is (0.316, 0.316).",
      ),
      state: { queries: [unit(45)], keys: AROUND, values: AROUND, mechanism: "dot", key: 1 },
    },
    {
      name: t("Cosine compared with dot product"),
      notice: t(
        "Key 1 is five times as long. With the scaled dot product query 2 now gives it 0.993, and query 0 only 0.002; the cosine ignores lengths.",
      ),
      state: {
        ...TOKENS,
        keys: TOKENS.keys.map((row, index) => row.map((one) => Number((index === 1 ? 5 * one : one).toFixed(2)))),
        beside: "cosine",
        query: 2,
        key: 1,
      },
    },
    {
      name: t("Cold"),
      notice: t("At temperature 0.1 score differences count tenfold: almost one key per query."),
      state: { ...TOKENS, temperature: 0.1 },
    },
    {
      name: t("Hot"),
      notice: t("At temperature 20 almost nothing is left of the differences: each key gets about a third."),
      state: { ...TOKENS, temperature: 20 },
    },
    {
      name: t("Bug: no 1/√d"),
      notice: t(
        "Without the division the scores are larger and the weights sharper; the more dimensions, the more so.",
      ),
      state: { ...TOKENS, beside: "unscaled" },
    },
    {
      name: t("Bug: wrong axis"),
      notice: t(
        "Softmax down the columns: now each key is divided among the queries, and the rows no longer add up to 1.",
      ),
      state: { ...TOKENS, beside: "wrong_axis" },
    },
    {
      name: t("Bug: −1e5 for −∞"),
      notice: t(
        "Query 0 may attend to nothing. With −∞ its weights are 0; with −100,000 everywhere softmax cancels the mask, and query 0 attends as if there were none.",
      ),
      state: {
        ...TOKENS,
        mask: "custom",
        allowed: [
          [0, 0, 0],
          [1, 1, 0],
          [1, 1, 1],
        ],
        beside: "soft_mask",
      },
    },
    {
      name: t("Positions"),
      notice: t(
        "RoPE rotates queries and keys by their positions before they are compared; next to it, the same without RoPE.",
      ),
      state: {
        queries: TOKENS.queries.map((row) => [...row, 1]),
        keys: TOKENS.keys.map((row) => [...row, 0.5]),
        values: TOKENS.values,
        mask: "causal",
        position: "rope",
        beside: "no_position",
      },
    },
  ];
}
