/** The page of ÷√d_k as data: its fields and the calls that a state makes. */

import { choice, flag, number, numbers, whole } from "../../base/fields.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ScalingState */
/** @typedef {import("../../api/types.js").AnswerTo<"scaling">} ScalingAnswer */
/** @typedef {import("../../api/types.js").Call<"scaling/saturation" | "scaling/panels" | "scaling/growth">} ScalingCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"scaling", ScalingState, ScalingCall[]>} ScalingData */

export const GROWTH_SIZES = [1, 4, 16, 64, 256, 1024];
/** Larger scores than these overflow where e is raised to them. */
const LARGEST_SCORE = 700;

export const fields = {
  view: choice(["distributions", "saturation", "panels", "growth", "size"]),
  source: choice(["normal", "linear"]),
  sizes: numbers([8, 64, 512], { least: 1, most: 1024, count: 4 }),
  bias: flag(true),
  samples: choice(["1000", "10000", "50000"], "10000"),
  seed: whole(0, 0, 999),
  scores: numbers([10, 5, 2, 1], { least: -LARGEST_SCORE, most: LARGEST_SCORE, fewest: 2, count: 16 }),
  divisor: number(8, 0.1, 100),
  keys: whole(20, 2, 64),
  /** Of the view of one size. */
  d: whole(64, 1, 1024),
};

/** @param {Readonly<ScalingState>} state */
export function request({ view, source, sizes, bias, samples, seed, d }) {
  const shared = { d_k: [...new Set(sizes.map(Math.round))], samples: Number(samples), seed };
  if (view === "size") return { d_k: [d], seed };
  // The other views need the sizes alone.
  if (view !== "distributions") return { d_k: [8], samples: 1 };
  return source === "normal" ? shared : { ...shared, source, bias };
}

/** @param {Readonly<ScalingState>} state @returns {ScalingCall[]} */
export function also({ view, scores, divisor, keys, seed, d }) {
  if (view === "saturation") return [{ stem: "scaling/saturation", body: { scores, divisor } }];
  if (view === "panels") return [{ stem: "scaling/panels", body: { dims: [1, 100], num_keys: keys, seed } }];
  if (view === "size") return [{ stem: "scaling/panels", body: { dims: [d], num_keys: keys, seed } }];
  if (view === "growth") return [{ stem: "scaling/growth", body: { d_k: GROWTH_SIZES, num_keys: keys, seed } }];
  return [];
}
