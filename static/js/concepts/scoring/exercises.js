/** Exercises of the scoring lab. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { startsOf } from "../../base/fields.js";
import { fields, identity, request } from "./state.js";

/**
 * The call that computes a figure, and the state that shows it.
 * @param {Partial<import("./state.js").ScoringState>} patch
 * @param {(answer: import("./state.js").ScoringAnswer) => number[]} pick
 */
function figure(patch, pick) {
  const state = startsOf(fields, patch);
  return { state, ...served("scoring", request(state), pick) };
}

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").ScoringState>[]} */
export function exercises() {
  return [
    {
      id: "scoring-one-query",
      question: t(
        "One query (2, 0), keys (1, 0) and (0, 1), values 5 and 10, scaled dot product. Compute both weights and the output.",
      ),
      labels: ["α₀", "α₁", "o"],
      expected: [0.8044, 0.1956, 5.978],
      tolerance: 0.001,
      way: [
        t("Scores: 2 · 1 + 0 · 0 = 2 and 2 · 0 + 0 · 1 = 0."),
        t("Scaled by √2 = 1.4142: 1.4142 and 0."),
        t("Exponentials: 4.1133 and 1, together 5.1133."),
        t("Weights: 4.1133 / 5.1133 = 0.8044 and 1 / 5.1133 = 0.1956."),
        t("Output: 0.8044 · 5 + 0.1956 · 10 = 5.978."),
      ],
      ...figure({ queries: [[2, 0]], values: [[5], [10]] }, (answer) => [...answer.weights[0], answer.output[0][0]]),
    },
    {
      id: "scoring-additive",
      question: t(
        "Additive attention: W_q q = (1, −0.5), W_k k = (0, 0.5), v = (2, 1). What is the score vᵀ tanh(W_q q + W_k k)?",
      ),
      labels: [t("score")],
      expected: [1.5232],
      tolerance: 0.001,
      way: [
        t("The sum is (1, 0): queries and keys may be of different sizes, their projections not."),
        "tanh 1 = 0.7616, tanh 0 = 0; 2 · 0.7616 + 1 · 0 = 1.5232",
      ],
    },
    {
      id: "scoring-cosine",
      question: t(
        "With cosine scoring a query gives a key the weight 0.6. The key becomes five times as long. What is its weight now?",
      ),
      labels: ["α"],
      expected: [0.6],
      tolerance: 0.001,
      way: [
        t("cos(q, k) = q · k / (|q| |k|): the key is divided by its own length first."),
        t("Five times the key over five times its length is the same vector: nothing changes."),
      ],
    },
    {
      id: "scoring-temperature",
      question: t("Two keys have the scores 1 and 0. What is the first one's weight at temperature 1, and at 0.5?"),
      labels: ["T = 1", "T = 0.5"],
      expected: [0.7311, 0.8808],
      tolerance: 0.0005,
      way: [
        t("With two keys the weight is 1 / (1 + e^(−difference / T))."),
        t("T = 1: 1 / (1 + 0.3679) = 0.7311."),
        t("T = 0.5: the difference counts twice, 1 / (1 + 0.1353) = 0.8808."),
      ],
      ...figure(
        { queries: [[1, 0]], keys: identity(2), values: identity(2), mechanism: "dot", temperature: 0.5 },
        (answer) => {
          const [first, second] = answer.weights[0];
          const ratio = Math.sqrt(first / second);
          return [ratio / (1 + ratio), first];
        },
      ),
    },
  ];
}
