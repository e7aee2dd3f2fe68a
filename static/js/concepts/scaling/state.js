/** The page of ÷√d_k as data: its fields, the calls that a state makes, and its presets. */

import { choice, flag, number, numbers, whole } from "../../base/fields.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ScalingState */
/** @typedef {import("../../api/types.js").AnswerTo<"scaling">} ScalingAnswer */
/** @typedef {import("../../api/types.js").Call<"scaling/saturation" | "scaling/panels" | "scaling/growth">} ScalingCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"scaling", ScalingState, ScalingCall[]>} ScalingData */

const GROWTH_SIZES = [1, 4, 16, 64, 256, 1024];
/** Larger scores than these overflow where e is raised to them. */
const LARGEST_SCORE = 700;

export const fields = {
  view: choice(["distributions", "saturation", "panels", "growth"]),
  source: choice(["normal", "linear"]),
  sizes: numbers([8, 64, 512], { least: 1, most: 1024, count: 4 }),
  bias: flag(true),
  samples: choice(["1000", "10000", "50000"], "10000"),
  seed: whole(0, 0, 999),
  scores: numbers([10, 5, 2, 1], { least: -LARGEST_SCORE, most: LARGEST_SCORE, fewest: 2, count: 12 }),
  divisor: number(8, 0.1, 100),
  keys: whole(20, 2, 64),
};

/** @param {Readonly<ScalingState>} state */
export function request({ view, source, sizes, bias, samples, seed }) {
  const shared = { d_k: [...new Set(sizes.map(Math.round))], samples: Number(samples), seed };
  // The other views need the sizes alone.
  if (view !== "distributions") return { d_k: [8], samples: 1 };
  return source === "normal" ? shared : { ...shared, source, bias };
}

/** @param {Readonly<ScalingState>} state @returns {ScalingCall[]} */
export function also({ view, scores, divisor, keys, seed }) {
  if (view === "saturation") return [{ stem: "scaling/saturation", body: { scores, divisor } }];
  if (view === "panels") return [{ stem: "scaling/panels", body: { dims: [1, 100], num_keys: keys, seed } }];
  if (view === "growth") return [{ stem: "scaling/growth", body: { d_k: GROWTH_SIZES, num_keys: keys, seed } }];
  return [];
}

/** @returns {import("../frame/concept.js").Preset<ScalingState>[]} */
export function presets() {
  return [
    {
      name: t("Standard normal"),
      notice: t("The variance of q·k is d_k. Divided by √d_k it is 1, whatever the size."),
      state: {},
    },
    {
      name: t("Through linear layers"),
      notice: t(
        "As layers are initialised in practice: the variance still grows with d_k, but after scaling it is about 0.11, not 1.",
      ),
      state: { source: "linear" },
    },
    {
      name: t("Saturation"),
      notice: t("The same four scores: undivided, one key takes 99 %; divided by 8, all get some weight."),
      state: { view: "saturation" },
    },
    {
      name: t("Four panels"),
      notice: t("With d = 100 one key takes nearly everything; divided by √100 the result looks like d = 1."),
      state: { view: "panels" },
    },
    {
      name: t("As d grows"),
      notice: t("Unscaled, entropy falls and the gradient vanishes. Scaled, both stay constant."),
      state: { view: "growth" },
    },
  ];
}
