/** Exercises about the linear layer; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { minusLost } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { dot } from "../frame/core/attention.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").LinearState>[]} */
export function exercises() {
  const [x, w, b] = [
    [1, 2],
    [
      [1, 0],
      [3, -1],
    ],
    [0.5, 0],
  ];
  const layer = (/** @type {number[][]} */ weight, bias = b) => weight.map((row, index) => dot(row, x) + bias[index]);
  const counted = (outputs = 3, biases = outputs) => [4 * outputs + biases, biases];
  const bound = (/** @type {number} */ inputs) => 1 / Math.sqrt(inputs);
  const together = (layers = 2, biases = 8) => layers * (8 * 8 + biases);
  const saved = (/** @type {number} */ whole) => (100 * (together() - together(2, 0))) / whole;
  return [
    {
      id: "linear-by-hand",
      question: t("x = (1, 2), W = [1 0; 3 −1], b = (0.5, 0). What is y = x Wᵀ + b?"),
      labels: ["y₀", "y₁"],
      expected: layer(w),
      tolerance: 0.001,
      slips: [
        { values: layer(w, [0, 0]), says: t("That is x Wᵀ: the bias is still to be added.") },
        {
          values: layer([0, 1].map((column) => w.map((row) => row[column]))),
          says: t("That is x W: each output takes one row of W."),
        },
        { values: layer(w.map((row) => row.map(Math.abs))), says: minusLost("W") },
      ],
      way: ["1 · 1 + 2 · 0 + 0.5 = 1.5", "1 · 3 + 2 · (−1) + 0 = 1"],
      state: {
        x: [[1, 2]],
        w: [
          [1, 0],
          [3, -1],
        ],
        b: [[0.5, 0]],
      },
      ...served(
        "linear",
        {
          inputs: [1, 2],
          weight: [
            [1, 0],
            [3, -1],
          ],
          bias_values: [0.5, 0],
        },
        (answer) => /** @type {number[]} */ (answer.by_hand),
      ),
    },
    {
      id: "linear-parameters",
      question: t("A layer maps 4 numbers to 3. How many parameters does it have, and how many of them are biases?"),
      labels: [t("all"), t("bias")],
      expected: counted(),
      tolerance: 0,
      slips: [
        { values: counted(3, 0), says: t("Those are the weights alone: every output has a bias too.") },
        { values: counted(3, 4), says: t("A bias belongs to an output, not to an input: there are 3.") },
        {
          values: [4 + 3, null],
          says: t("Every output has a weight for each input: multiply the two, then add the biases."),
        },
      ],
      way: ["4 · 3 + 3 = 15", t("One bias for each output: 3.")],
      state: {},
      ...served("linear", { in_features: 4, out_features: 3 }, ({ parameters }) => [parameters.total, parameters.bias]),
    },
    {
      id: "linear-shape",
      question: t("An input of shape (2, 2, 3, 4) goes through a layer from 4 to 5. What is the output shape?"),
      labels: [
        t("axis {index}", { index: 0 }),
        t("axis {index}", { index: 1 }),
        t("axis {index}", { index: 2 }),
        t("axis {index}", { index: 3 }),
      ],
      expected: [2, 2, 3, 5],
      tolerance: 0,
      slips: [
        { values: [2, 2, 3, 4], says: t("That is the shape of the input: the layer changes the last axis.") },
        { values: [5, 2, 3, 4], says: t("The layer changes the last axis, not the first: a vector lies along it.") },
        {
          values: [2, 2, 5, 4],
          says: t("The layer changes the last axis, not the one before it: that one counts vectors."),
        },
      ],
      way: [t("Leading axes stay the same; the last becomes the layer's output size."), "(2, 2, 3, 4) → (2, 2, 3, 5)"],
      state: { numbers: "random", rank: "4", outs: 5 },
      ...served("linear", { in_features: 4, out_features: 5, leading: [2, 2, 3] }, (answer) => answer.output_shape),
    },
    {
      id: "linear-start",
      question: t(
        "A freshly initialised layer has 64 inputs. What is the bound ± of its weights, and what is their standard deviation?",
      ),
      labels: [t("bound"), t("deviation")],
      expected: allRounded([bound(64), bound(64) / Math.sqrt(3)], 4),
      tolerance: 0.0006,
      slips: [
        { values: [1 / 64, 1 / 64 / Math.sqrt(3)], says: t("The bound is 1 divided by the root of 64, not by 64.") },
        { values: [null, bound(64) / 3], says: t("The bound is divided by √3 = 1.7321, not by 3.") },
        { values: [null, bound(64) ** 2 / 3], says: t("That is the variance: the deviation is its root.") },
      ],
      way: [
        t("The bound is 1/√in: 1/√64 = 0.125."),
        t("Uniform numbers within ±a have the deviation a/√3: 0.125 / 1.7321 = 0.0722."),
      ],
      state: { view: "start", sizes: [64] },
      ...served("linear/initialisation", { sizes: [64], out_features: 1 }, ({ layers: [layer] }) => [
        layer.bound,
        layer.expected_standard_deviation,
      ]),
    },
    {
      id: "linear-bias",
      question: t(
        "d_model = d_k = 8. How many parameters do W_q and W_k have together with bias, how many without, and what percentage is saved?",
      ),
      labels: [t("with"), t("without"), "%"],
      expected: [together(), together(2, 0), rounded(saved(together()), 1)],
      tolerance: 0.05,
      slips: [
        {
          values: [together(1), together(1, 0), null],
          says: t("That is one of the two layers: W_q and W_k count together."),
        },
        {
          values: [null, null, saved(together(2, 0))],
          says: t("That is relative to the layers without bias: what is saved is a part of those with bias."),
        },
        {
          values: [null, null, saved(together()) / 100],
          says: t("That is the share: times 100 it is the percentage."),
        },
      ],
      way: ["2 · (8 · 8 + 8) = 144", "2 · 8 · 8 = 128", "16 / 144 = 11.1 %"],
      state: { view: "bias" },
      ...served("linear/bias", { d_model: 8, d_k: 8, seq_len: 1, batch: 1 }, ({ parameters }) => [
        parameters.with_bias,
        parameters.without_bias,
        parameters.saved_percent,
      ]),
    },
    {
      id: "linear-large",
      question: t("96 layers with queries, keys and values of 4,096 numbers each. How many biases is that?"),
      labels: [t("biases")],
      expected: [96 * 3 * 4096],
      tolerance: 0,
      slips: [
        {
          values: [96 * 4096],
          says: t("That counts one projection of each layer: queries, keys and values have a bias each."),
        },
        { values: [3 * 4096], says: t("That is one layer: there are 96.") },
        { values: [96 * 3 * 4096 ** 2], says: t("Those are the weights: a layer has one bias for each output.") },
      ],
      way: ["96 · 3 · 4,096 = 1,179,648"],
      state: { view: "bias" },
      ...served("linear/bias", { large: { d_model: 4096, layers: 96, projections: 3 } }, ({ parameters }) => [
        parameters.large_biases,
      ]),
    },
  ];
}
