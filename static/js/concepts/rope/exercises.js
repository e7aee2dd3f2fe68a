/** Exercises about RoPE; the server can compute each answer. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { inDegrees } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { dot } from "../frame/core/attention.js";

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").RopeState>[]} */
export function exercises() {
  const pair = {
    dim: 2,
    pairing: /** @type {const} */ ("interleaved"),
    frequencies: [0.5],
    vector: [1, 0],
    positions: [0, 1, 2],
  };
  const DEGREE = Math.PI / 180;
  const theta = 0.5;
  const onCircle = (/** @type {number} */ angle) => [Math.cos(angle), Math.sin(angle)];
  const frequency = (dim = 128, exponent = (-2 * 32) / dim) => 10_000 ** exponent;
  const sums = Array.from({ length: 64 }, (_, index) => index + 1);
  const pairs = [
    [0, 1],
    [2, 3],
  ];
  const slowed = (factor = 4, position = 4096) => position / factor;
  return [
    {
      id: "rope-pair",
      question: t("θ = 0.5, q = (1, 0). Where is the pair at position 2?"),
      labels: ["q₀", "q₁"],
      expected: allRounded(onCircle(2 * theta), 4),
      tolerance: 0.0006,
      slips: [
        { values: onCircle(theta), says: t("That is position 1: position 2 takes twice the angle.") },
        { values: onCircle(2 * theta * DEGREE), says: inDegrees() },
        {
          values: onCircle(-2 * theta),
          says: t("That rotates clockwise: RoPE rotates from the first axis towards the second."),
        },
      ],
      way: ["mθ = 2 · 0.5 = 1", "cos 1 = 0.5403, sin 1 = 0.8415", t("(1, 0) rotated by 1 radian is (cos 1, sin 1).")],
      state: {},
      ...served("rope", pair, (answer) => answer.rotated[2]),
    },
    {
      id: "rope-frequency",
      question: t(
        "d = 128, base b = 10,000; pair i rotates by θ_i = b^(−2i/d) per position. By how many radians does pair 32 rotate?",
      ),
      labels: ["θ₃₂"],
      expected: [rounded(frequency(), 4)],
      tolerance: 0.00005,
      slips: [
        { values: [frequency(128, -32 / 128)], says: t("The factor 2 in the exponent is missing: −2i/d.") },
        {
          values: [frequency(128, (2 * 32) / 128)],
          says: t("The minus sign in the exponent is missing: later pairs rotate more slowly."),
        },
        {
          values: [frequency(64)],
          says: t("That takes 64, the number of pairs, for d: it is the number of components, 128."),
        },
      ],
      way: ["θ = 10000^(−2 · 32 / 128)", "= 10000^(−0.5) = 1/100"],
      state: { view: "clocks", pair: 32 },
      ...served("rope", { dim: 128, pairing: "half_split", positions: [1] }, (answer) => [answer.frequencies[32]]),
    },
    {
      id: "rope-relative",
      question: t(
        "Two equal vectors of length 1 rotate with θ = 0.5. One is at position 103, the other at 101. What is their score?",
      ),
      labels: ["q·k"],
      expected: [rounded(onCircle((103 - 101) * theta)[0], 4)],
      tolerance: 0.0006,
      slips: [
        { values: [onCircle(103 - 101)[0]], says: t("That rotates by 1 radian per position: θ is 0.5.") },
        { values: [onCircle((103 - 101) * theta * DEGREE)[0]], says: inDegrees() },
        { values: [onCircle((103 + 101) * theta)[0]], says: t("That adds the positions: their difference counts.") },
      ],
      way: [t("Only the distance matters: 103 − 101 = 2."), "cos(2 · 0.5) = cos 1 = 0.5403"],
      ...served("rope", { ...pair, positions: [103, 101] }, (answer) => [nonNull(answer.relative_scores)[0][1]]),
    },
    {
      id: "rope-decay",
      question: t(
        "d = 128, so 64 pairs. At distance 0 every pair adds 1, and the partial sums are 1, 2, …, 64. What is their mean?",
      ),
      labels: ["|S|"],
      expected: [
        dot(
          sums,
          sums.map(() => 1),
        ) / sums.length,
      ],
      tolerance: 0.01,
      slips: [
        { values: [sums.length], says: t("That is the last partial sum: the mean of all is asked for.") },
        {
          values: [
            dot(
              sums,
              sums.map(() => 1),
            ),
          ],
          says: t("That is the sum of the partial sums: divide by 64."),
        },
        { values: [sums.length / 2], says: t("The partial sums begin with 1, not with 0: half a step more.") },
      ],
      way: ["(1 + 2 + … + 64) / 64 = 65 / 2 = 32.5"],
      state: { view: "decay", distance: 0 },
      ...served("rope", { dim: 128, pairing: "half_split", positions: [0], distances: [0] }, (answer) => [
        answer.decay[0],
      ]),
    },
    {
      id: "rope-permutation",
      question: t(
        "d = 4. Weights trained with interleaved pairs (0, 1), (2, 3) are to be used with half-split pairs (0, 2), (1, 3). Which old index goes to indices 0, 1, 2, 3?",
      ),
      labels: ["0", "1", "2", "3"],
      expected: [0, 1].flatMap((half) => pairs.map((pair) => pair[half])),
      tolerance: 0,
      slips: [
        { values: pairs.flat(), says: t("That leaves everything in its place: then 0 would be paired with 2.") },
        {
          values: [1, 0].flatMap((half) => pairs.map((pair) => pair[half])),
          says: t("That puts the second components of the pairs first: the first ones come first."),
        },
      ],
      way: [t("The first components of all pairs come first, then the second ones: 0, 2, then 1, 3.")],
      state: { view: "pairing" },
      ...served("rope", { dim: 4, pairing: "half_split", positions: [0] }, (answer) => answer.permutation),
    },
    {
      id: "rope-linear",
      question: t(
        "A model trained on 2,048 positions is extended by linear scaling with factor 4. By how many radians is pair 0 rotated at position 4,096?",
      ),
      labels: [t("radians")],
      expected: [slowed()],
      tolerance: 0.5,
      slips: [
        { values: [slowed(1)], says: t("That is without scaling: divide by the factor 4.") },
        { values: [slowed(1 / 4)], says: t("That multiplies the angle by 4: scaling makes the rotation slower.") },
        { values: [slowed(4, 2048)], says: t("That is position 2,048: the question is about 4,096.") },
      ],
      way: [
        t(
          "Pair 0 rotates by 1 radian per position. Divided by 4, position 4,096 takes the angle that 1,024 had in training.",
        ),
      ],
      state: { view: "scaling", distance: 200 },
      ...served(
        "rope/scaling",
        { dim: 128, base: 10_000, trained_length: 2048, factor: 4, positions: [4096] },
        (answer) => nonNull(answer.scalings.find((scaling) => scaling.kind === "linear")).angles[0].slice(0, 1),
      ),
    },
  ];
}
