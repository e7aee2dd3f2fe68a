/** Numbers as terms of a formula. */

import { bracket, number } from "./mathml.js";
import { fixed, grouped } from "../numbers.js";

/** @typedef {import("./mathml.js").Part} Part */

/**
 * A number; ∞ may be a string, as in the API.
 * @param {number | string} value
 * @param {number} [digits]
 */
export function n(value, digits = 4) {
  return number(fixed(Number(value), digits));
}

/** Negative numbers in parentheses, for use after an operator. @param {number | string} value @param {number} [digits] */
export function signed(value, digits = 4) {
  const written = n(value, digits);
  return fixed(Number(value), digits).startsWith("−") ? bracket(written) : written;
}

/** @param {number} value */
export const whole = (value) => number(grouped(value));

/** @param {readonly Part[]} parts @param {string} sign @returns {Part[]} */
export function between(parts, sign) {
  return parts.flatMap((part, index) => (index ? [sign, part] : [part]));
}

/** @param {readonly Part[]} parts */
export const listed = (parts) => between(parts, ",");
