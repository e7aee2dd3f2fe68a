/** Exercises of the page of the transformer block. */

import { served } from "../frame/exercises.js";
import { nonNull } from "../../base/non_null.js";
import { t } from "../../base/i18n.js";
import { lengthOne, notCentred, sampleVariance, signLost } from "../../wording/slips.js";
import { allRounded, rounded } from "../../base/numbers.js";
import { layerNorm } from "../frame/core/vector_norms.js";
import { length } from "../frame/core/attention.js";
import { MINILM } from "../../wording/model_names.js";

export const TEXT = "The cat sat on the mat.";

/** @typedef {import("./state.js").BlockState} BlockState */

/** @returns {import("../frame/exercises.js").Exercise<import("./state.js").BlockState>[]} */
export function exercises() {
  const [stream, attended, fed] = [0.5, -0.2, 0.1];
  const centred = [1, 1, 4];
  const plain = [3, 4];
  const added = 194.1;
  return [
    {
      id: "block-residual",
      question: t(
        "A component of the stream is 0.5. Attention adds −0.2, then the feed-forward layer 0.1 (pre-norm). What is the block's output?",
      ),
      labels: ["z"],
      expected: [rounded(stream + attended + fed, 1)],
      tolerance: 0.0001,
      slips: [
        { values: [attended + fed], says: t("That is what is added: the stream itself, 0.5, passes on too.") },
        { values: [stream - attended + fed], says: t("The minus sign of −0.2 is lost.") },
        {
          values: [stream + attended],
          says: t("That is the stream after attention: the feed-forward layer adds to it too."),
        },
      ],
      way: [t("0.5 + (−0.2) = 0.3 after attention, 0.3 + 0.1 = 0.4 after the feed-forward layer.")],
    },
    {
      id: "block-layer-norm",
      question: t("The layer norm of (1, 1, 4), with scale 1, shift 0 and no ε?"),
      labels: ["n₀", "n₁", "n₂"],
      expected: allRounded(layerNorm(centred), 4),
      tolerance: 0.001,
      slips: [
        { values: layerNorm(centred, { isCentred: false }), says: notCentred() },
        { values: layerNorm(centred, { degrees: centred.length - 1 }), says: sampleVariance() },
        {
          values: layerNorm(centred, { power: 1 }),
          says: t("That divides by the variance: divide by its root."),
        },
      ],
      way: [
        t("The mean is 2 and the variance ((1 − 2)² + (1 − 2)² + (4 − 2)²) / 3 = 2."),
        "(1 − 2) / √2 = −0.7071, (4 − 2) / √2 = 1.4142",
      ],
    },
    {
      id: "block-rms-norm",
      question: t("The RMS norm of (3, 4), with scale 1 and no ε?"),
      labels: ["n₀", "n₁"],
      expected: allRounded(layerNorm(plain, { isCentred: false }), 4),
      tolerance: 0.001,
      slips: [
        { values: plain.map((value) => value / length(plain)), says: lengthOne() },
        { values: layerNorm(plain), says: t("That is a layer norm: RMS norm does not subtract the mean.") },
        {
          values: layerNorm(plain, { isCentred: false, power: 1 }),
          says: t("That divides by the mean square: divide by its root."),
        },
      ],
      way: [t("The mean square is (9 + 16) / 2 = 12.5, its root 3.5355."), "3 / 3.5355 = 0.8485, 4 / 3.5355 = 1.1314"],
    },
    {
      id: "block-huge",
      question: t(
        "MiniLM, “The cat sat on the mat.”, [CLS], block 0: what does the feed-forward layer add to component 99 of the stream? The preset “One huge component” shows it.",
      ),
      labels: ["f₉₉"],
      expected: [added],
      tolerance: 0.5,
      slips: [{ values: [-added], says: signLost() }],
      way: [
        t("Choose the preset “One huge component” and look at the step W_down."),
        t(
          "Most trained models have a few components far larger than all others (massive activations), at fixed positions.",
        ),
      ],
      state: { model: MINILM, text: TEXT, layer: 0, token: 0, number: 99 },
      ...served("block", { model: MINILM, text: TEXT, layer: 0, token: 0 }, (answer) => [
        nonNull(answer.stations.find((station) => station.name === "feed_forward_output")).vector[99],
      ]),
    },
  ];
}
