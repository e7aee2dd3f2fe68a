/** Colour scale and value limits of each stage. */

import { madeOnce } from "../../base/memoise.js";
import { byteColors, cssColor } from "../../base/theme/color.js";
import { scaleStops, tokenColor } from "../../base/theme/theme.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Stage} Stage */
/** @typedef {import("./heat_map.js").Paint} Paint */

/** Colours of the design tokens for series. */
export const SERIES_COLOURS = 8;

/** @param {number} share */
const plain = (share) => share;

/**
 * The theme's colours, read once; recreate when the theme changes.
 */
export function createPalette() {
  const weight = scaleStops("weight");
  const signed = scaleStops("signed");
  const query = cssColor(tokenColor("--color-query"));
  const key = cssColor(tokenColor("--color-key"));
  /** @param {import("../../base/theme/color.js").Rgb[]} stops @param {(share: number) => number} emphasis @returns {Paint} */
  const paint = (stops, emphasis) => ({ stops, emphasis, query, key });
  return {
    weights: { plain: paint(weight, plain), faint: paint(weight, Math.sqrt) },
    scores: paint(signed, plain),
    series: Array.from({ length: SERIES_COLOURS }, (_, index) => cssColor(tokenColor(`--series-${index}`))),
    bytes: { plain: byteColors(weight), faint: byteColors(weight, Math.sqrt) },
  };
}

/**
 * Whether a stage has no negative values, and a colour scale that begins at 0.
 * @param {Stage} stage
 */
export function isUnsigned(stage) {
  return stage === "weights" || stage === "value_weighted" || stage === "norm_weighted";
}

/**
 * The values at the ends of the scale: 0…1 for weights; 0 and the largest for weights times lengths; the same distance
 * either side of 0 for scores. The largest is the head's if known, so that colours are stable while panning.
 * @param {Stage} stage
 * @param {Matrix | null} matrix
 * @param {import("../../api/types.js").Distribution | null} [distribution]
 * @returns {[number, number]}
 */
export function limitsOf(stage, matrix, distribution = null) {
  if (stage === "weights") return [0, 1];
  const ends = distribution ? [distribution.minimum, distribution.maximum] : [];
  const known = Math.max(...ends.map((value) => Math.abs(value ?? 0)), 0);
  const end = known || (matrix && factsOf(matrix).largest) || 1;
  return [isUnsigned(stage) ? 0 : -end, end];
}

/**
 * Whether the mask hides any of these cells.
 * @param {Matrix} matrix
 */
export function isMasked(matrix) {
  return factsOf(matrix).masked;
}

const factsOf = madeOnce((/** @type {Matrix} */ { values }) => {
  let [largest, masked] = [0, false];
  for (const value of values) {
    if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
    else masked = true;
  }
  return { largest, masked };
});

/**
 * Common limits of several windows with the same colours.
 * @param {import("../../api/types.js").Stage} stage
 * @param {(Matrix | null)[]} windows
 * @returns {[number, number]}
 */
export function commonLimits(stage, windows) {
  const all = windows.map((matrix) => limitsOf(stage, matrix));
  return [Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))];
}
