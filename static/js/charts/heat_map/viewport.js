/** Pan and zoom a range of tokens: fractions allowed, always inside 0…count. */

import { MIN_SPAN } from "./geometry.js";

/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * @param {Range} range
 * @param {number} by  tokens
 * @param {number} count
 * @returns {Range}
 */
export function pan([first, end], by, count) {
  const shift = Math.min(Math.max(by, -first), count - end);
  return [first + shift, end + shift];
}

/**
 * Zooms in (factor below 1) or out, keeping the token under the pointer in place.
 * @param {Range} range
 * @param {number} factor
 * @param {number} share  where in the range the pointer is, 0…1
 * @param {number} count
 * @returns {Range}
 */
export function zoomAt([first, end], factor, share, count) {
  const size = Math.min(Math.max((end - first) * factor, Math.min(MIN_SPAN, count)), count);
  const start = Math.min(Math.max(first + share * (end - first - size), 0), count - size);
  return [start, start + size];
}

/**
 * The nearest whole tokens.
 * @param {Range} range
 * @param {number} count
 * @returns {Range}
 */
export function settle([first, end], count) {
  const size = Math.min(Math.max(Math.round(end - first), Math.min(MIN_SPAN, count)), count);
  const start = Math.min(Math.max(Math.round(first), 0), count - size);
  return [start, start + size];
}

/**
 * The token at a share of the range; null outside it.
 * @param {Range} range
 * @param {number} share
 * @returns {number | null}
 */
export function tokenAt([first, end], share) {
  return share >= 0 && share < 1 ? Math.floor(first + share * (end - first)) : null;
}
