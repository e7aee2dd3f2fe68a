/** Numbers as terms of a formula. */

import { bracket, number } from "./mathml.js";
import { fixed, grouped } from "./numbers.js";

/** @typedef {import("./mathml.js").Part} Part */

/**
 * Values that round to 0 are 0, not −0; ∞ may be a string, as in the API.
 * @param {number | string} value
 * @param {number} [digits]
 */
export function n(value, digits = 4) {
  const own = Number(value);
  return number(fixed(Math.abs(own) < 0.5 / 10 ** digits ? 0 : own, digits));
}

/** Negative numbers in parentheses, for use after an operator. @param {number | string} value @param {number} [digits] */
export const signed = (value, digits = 4) => (Number(value) < 0 ? bracket(n(value, digits)) : n(value, digits));

/** @param {number} value */
export const whole = (value) => number(grouped(value));

/** @param {readonly Part[]} parts @param {string} sign @returns {Part[]} */
export function between(parts, sign) {
  return parts.flatMap((part, index) => (index ? [sign, part] : [part]));
}

/** @param {readonly Part[]} parts */
export const listed = (parts) => between(parts, ",");
