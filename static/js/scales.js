/** Which colours a stage is drawn in, and between which values. */

import { byteColors, cssColor } from "./color.js";
import { SERIES_COLOURS } from "./links.js";
import { scaleStops, tokenColor } from "./theme.js";

/** @typedef {import("./types.js").Matrix} Matrix */
/** @typedef {import("./types.js").Stage} Stage */
/** @typedef {import("./views/matrix.js").Paint} Paint */

/** @param {number} share */
const plain = (share) => share;

/**
 * The theme's colours, read once; to be made anew when the theme changes.
 */
export function createPalette() {
  const weight = scaleStops("weight");
  const signed = scaleStops("signed");
  const query = cssColor(tokenColor("--color-query"));
  const key = cssColor(tokenColor("--color-key"));
  /** @param {import("./color.js").Rgb[]} stops @param {(share: number) => number} emphasis @returns {Paint} */
  const paint = (stops, emphasis) => ({ stops, emphasis, query, key });
  return {
    weights: { plain: paint(weight, plain), faint: paint(weight, Math.sqrt) },
    scores: paint(signed, plain),
    series: Array.from({ length: SERIES_COLOURS }, (_, index) => cssColor(tokenColor(`--series-${index}`))),
    bytes: { plain: byteColors(weight), faint: byteColors(weight, Math.sqrt) },
  };
}

/**
 * The values at the ends of the scale: 0…1 for weights, the same distance either side of 0 for scores.
 * @param {Stage} stage
 * @param {Matrix | null} matrix
 * @returns {[number, number]}
 */
export function limitsOf(stage, matrix) {
  if (stage === "weights") return [0, 1];
  const most = matrix ? matrix.values.reduce((size, value) => Math.max(size, finiteSize(value)), 0) : 0;
  const end = most || 1;
  return [-end, end];
}

/** @param {number} value */
function finiteSize(value) {
  return Number.isFinite(value) ? Math.abs(value) : 0;
}
