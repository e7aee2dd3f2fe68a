/** Exercises of the scoring lab. */

import { served } from "../frame/exercises.js";
import { t } from "../../base/i18n.js";
import { dividedByWhole, unscaled } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { dot, mixed, softmax } from "../frame/core/attention.js";
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
  const [q, keys, values] = [[2, 0], identity(2), [[5], [10]]];
  const attended = (divisor = Math.SQRT2) => softmax(keys.map((key) => dot(q, key) / divisor));
  const withOutput = (/** @type {number[]} */ weights) => [...weights, ...mixed(weights, values)];
  const [first, second] = attended();
  const hidden = [1 + 0, -0.5 + 0.5];
  const combine = [2, 1];
  const kept = 0.6;
  const cooled = (/** @type {number} */ temperature) => softmax([1 / temperature, 0]);
  return [
    {
      id: "scoring-one-query",
      question: t(
        "One query (2, 0), keys (1, 0) and (0, 1), values 5 and 10, scaled dot product. Compute both weights and the output.",
      ),
      labels: ["α₀", "α₁", "o"],
      expected: [...allRounded(attended(), 4), ...allRounded(mixed(attended(), values), 3)],
      tolerance: 0.001,
      slips: [
        { values: withOutput(attended(1)), says: unscaled("√d_k = √2") },
        { values: withOutput(attended(2)), says: dividedByWhole("d_k = 2", "√2 = 1.4142") },
        {
          values: withOutput([second, first]),
          says: t("The weights have changed places: the query points along the first key."),
        },
      ],
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
      expected: [rounded(dot(combine, hidden.map(Math.tanh)), 4)],
      tolerance: 0.001,
      slips: [
        { values: [dot(combine, hidden)], says: t("That leaves out tanh: take it of each number of the sum.") },
        {
          values: [Math.tanh(dot(combine, hidden))],
          says: t("That takes tanh at the end: take it of each number of the sum, before v."),
        },
        {
          values: [dot([1, 1], hidden.map(Math.tanh))],
          says: t("That leaves out v: multiply by its numbers, then add."),
        },
      ],
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
      expected: [kept],
      tolerance: 0.001,
      slips: [
        ...[5 * kept, kept / 5, (5 * kept) / (5 * kept + 1 - kept)].map((value) => ({
          values: [value],
          says: t("That lets the length count: cosine scoring divides the key by it first."),
        })),
      ],
      way: [
        t("cos(q, k) = q · k / (|q| |k|): the key is divided by its own length first."),
        t("Five times the key over five times its length is the same vector: nothing changes."),
      ],
    },
    {
      id: "scoring-temperature",
      question: t("Two keys have the scores 1 and 0. What is the first one's weight at temperature 1, and at 0.5?"),
      labels: ["T = 1", "T = 0.5"],
      expected: allRounded([cooled(1)[0], cooled(0.5)[0]], 4),
      tolerance: 0.0005,
      slips: [
        { values: [null, cooled(2)[0]], says: t("That multiplies the scores by the temperature: divide by it.") },
        {
          values: [null, cooled(1)[0]],
          says: t("That is the weight at temperature 1: divide the scores by 0.5 first."),
        },
        {
          values: [cooled(1)[1], cooled(0.5)[1]],
          says: t("That is the weight of the second key: 1 minus it is the first one's."),
        },
      ],
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
