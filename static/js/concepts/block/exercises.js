/** Exercises of the page of the transformer block. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { MINILM } from "../../page/model_choice.js";

export const TEXT = "The cat sat on the mat.";

/** @typedef {import("./state.js").BlockState} BlockState */

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").BlockState>[]} */
export function exercises() {
  return [
    {
      id: "block-residual",
      question: t(
        "A component of the stream is 0.5. Attention adds −0.2, then the feed-forward layer 0.1 (pre-norm). What is the block's output?",
      ),
      labels: ["z"],
      expected: [0.4],
      tolerance: 0.0001,
      way: [t("0.5 + (−0.2) = 0.3 after attention, 0.3 + 0.1 = 0.4 after the feed-forward layer.")],
    },
    {
      id: "block-layer-norm",
      question: t("The layer norm of (1, 3), with scale 1, shift 0 and no ε?"),
      labels: ["n₀", "n₁"],
      expected: [-1, 1],
      tolerance: 0.001,
      way: [t("The mean is 2 and the variance ((1 − 2)² + (3 − 2)²) / 2 = 1."), "(1 − 2) / √1 = −1, (3 − 2) / √1 = 1"],
    },
    {
      id: "block-rms-norm",
      question: t("The RMS norm of (3, 4), with scale 1 and no ε?"),
      labels: ["n₀", "n₁"],
      expected: [0.8485, 1.1314],
      tolerance: 0.001,
      way: [t("The mean square is (9 + 16) / 2 = 12.5, its root 3.5355."), "3 / 3.5355 = 0.8485, 4 / 3.5355 = 1.1314"],
    },
    {
      id: "block-huge",
      question: t(
        "MiniLM, “The cat sat on the mat.”, [CLS], block 0: what does the feed-forward layer add to component 99 of the stream? The preset “One huge component” shows it.",
      ),
      labels: ["f₉₉"],
      expected: [194.1],
      tolerance: 0.5,
      way: [
        t("Choose the preset “One huge component” and look at the step W_down."),
        t(
          "Most trained models have a few components far larger than all others (massive activations), at fixed positions.",
        ),
      ],
      state: { model: MINILM, text: TEXT, layer: 0, token: 0, number: 99 },
      ...served("block", { model: MINILM, text: TEXT, layer: 0, token: 0 }, (answer) => [
        nonNull(answer.stations.find((one) => one.name === "feed_forward_output")).vector[99],
      ]),
    },
  ];
}
