/** Exercises about RoPE, each of which the server can work out itself. */

import { t } from "./i18n.js";
import { from } from "./rope_state.js";

/** @returns {import("./exercises.js").Exercise[]} */
export function exercises() {
  const pair = { dim: 2, pairing: "interleaved", frequencies: [0.5], vector: [1, 0], positions: [0, 1, 2] };
  return [
    {
      id: "rope-pair",
      question: t("θ = 0.5, q = (1, 0). Where is the pair at position 2?"),
      labels: ["q₀", "q₁"],
      expected: [0.5403, 0.8415],
      tolerance: 0.0006,
      way: ["mθ = 2 · 0.5 = 1", "cos 1 = 0.5403, sin 1 = 0.8415", t("(1, 0) turned by 1 radian is (cos 1, sin 1).")],
      state: from(),
      call: { stem: "rope", body: pair },
      pick: (answer) => answer.rotated[2],
    },
    {
      id: "rope-frequency",
      question: t("d = 128, base 10,000. How many radians does pair 32 turn at each position?"),
      labels: ["θ₃₂"],
      expected: [0.01],
      tolerance: 0.00005,
      way: ["θ = 10000^(−2 · 32 / 128)", "= 10000^(−0.5) = 1/100"],
      state: from({ view: "clocks", pair: 32 }),
      call: { stem: "rope", body: { dim: 128, pairing: "half_split", positions: [1] } },
      pick: (answer) => [answer.frequencies[32]],
    },
    {
      id: "rope-relative",
      question: t(
        "Two equal vectors of length 1 turn with θ = 0.5. One stands at 103, one at 101. What is their score?",
      ),
      labels: ["q·k"],
      expected: [0.5403],
      tolerance: 0.0006,
      way: [t("Only the distance counts: 103 − 101 = 2."), "cos(2 · 0.5) = cos 1 = 0.5403"],
      call: { stem: "rope", body: { ...pair, positions: [103, 101] } },
      pick: (answer) => [answer.relative_scores[0][1]],
    },
  ];
}
