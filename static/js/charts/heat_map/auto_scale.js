/**
 * The colour scale of weights where the plain one, 0 to 1, would leave a map blank: it ends at the largest weight if all
 * are small, and colour follows the square root of the weight if most rows still have nothing to see.
 */

import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Thumbnails} Thumbnails */

/** As the reader wants it: "" automatic, "0" plain, "1" √. @typedef {"" | "0" | "1"} Wanted */
/** @typedef {{end: number, isFaint: boolean}} Scale  the value at its end, and whether colour follows the root */

/** Largest weight below which the scale ends there. */
const SMALL = 0.3;
/** Share of the scale below which a row's largest weight is hardly seen. */
const SEEN = 0.2;

/**
 * @param {Wanted} wanted
 * @param {number[]} maxima  the largest weight of each row
 * @returns {Scale}
 */
export function scaleFor(wanted, maxima) {
  if (wanted !== "") return { end: 1, isFaint: wanted === "1" };
  const sorted = maxima.filter(Number.isFinite).sort((one, other) => one - other);
  const largest = sorted.at(-1) ?? 0;
  if (largest <= 0) return { end: 1, isFaint: false };
  const end = largest < SMALL ? largest : 1;
  return { end, isFaint: sorted[Math.floor(sorted.length / 2)] < SEEN * end };
}

/**
 * What is unusual about colours that were chosen for a map.
 * @param {Scale | null} scale  null where the reader chose them
 * @returns {string}  "" if nothing is
 */
export function scaleNote(scale) {
  if (!scale || (scale.end === 1 && !scale.isFaint)) return "";
  const end = exact(scale.end);
  if (scale.end === 1) return t("Small weights: colour follows the square root of the weight");
  return scale.isFaint
    ? t("Small weights: colour follows the square root of the weight and ends at {end}", { end })
    : t("Small weights: the colours end at {end}", { end });
}

/**
 * The largest weight of each row of one head, as its thumbnail has them.
 * @param {Thumbnails} thumbnails
 * @param {{layer: number, head: number}} at
 * @returns {number[]}
 */
export function thumbnailMaxima({ bytes, heads, height, width }, { layer, head }) {
  const start = (layer * heads + head) * height * width;
  return Array.from({ length: height }, (_, row) => {
    const cells = bytes.subarray(start + row * width, start + (row + 1) * width);
    return cells.reduce((most, byte) => Math.max(most, byte), 0) / 255;
  });
}

/**
 * @param {Pick<Matrix, "values" | "width">} matrix
 * @returns {number[]}
 */
export function matrixMaxima({ values, width }) {
  return Array.from({ length: values.length / width }, (_, row) =>
    values.subarray(row * width, (row + 1) * width).reduce((most, value) => Math.max(most, value), -Infinity),
  );
}

/**
 * Whether the thumbnails of most heads would be blank.
 * @param {Wanted} wanted
 * @param {Thumbnails} thumbnails
 */
export function areFaint(wanted, { bytes, layers, heads, height, width }) {
  const size = height * width;
  const maxima = Array.from({ length: layers * heads }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size).reduce((most, byte) => Math.max(most, byte / 255), 0),
  );
  const sorted = maxima.sort((one, other) => one - other);
  return wanted === "1" || (wanted === "" && sorted[Math.floor(sorted.length / 2)] < SEEN);
}
