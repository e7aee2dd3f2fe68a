/** Exercises about the linear layer; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").LinearState>[]} */
export function exercises() {
  return [
    {
      id: "linear-by-hand",
      question: t("x = (1, 2), W = [1 0; 3 −1], b = (0.5, 0). What is y = x Wᵀ + b?"),
      labels: ["y₀", "y₁"],
      expected: [1.5, 1],
      tolerance: 0.001,
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
      expected: [15, 3],
      tolerance: 0,
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
      expected: [0.125, 0.0722],
      tolerance: 0.0006,
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
      expected: [144, 128, 11.1],
      tolerance: 0.05,
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
      expected: [1179648],
      tolerance: 0,
      way: ["96 · 3 · 4,096 = 1,179,648"],
      state: { view: "bias" },
      ...served("linear/bias", { large: { d_model: 4096, layers: 96, projections: 3 } }, ({ parameters }) => [
        parameters.large_biases,
      ]),
    },
  ];
}
