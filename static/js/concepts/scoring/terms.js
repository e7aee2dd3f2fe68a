/** Letters and numbers in the formulas of the scoring lab. */

import { bracket, name, number, row, sub, sup, vector } from "../../base/maths/mathml.js";
import { exact, fixed } from "../../base/numbers.js";
import { listed } from "../../base/maths/formula_terms.js";

/** @param {number} value */
export const n4 = (value) => number(Number.isInteger(value) ? fixed(value, 0) : exact(value));
/** A negative number in brackets, after a sign. @param {number} value */
export const signed = (value) => (value < 0 ? bracket(n4(value)) : n4(value));
/** @param {number} index */
export const q = (index) => sub(vector("q", "is-query"), number(String(index)));
/** @param {number} index */
export const k = (index) => sub(vector("k", "is-key"), number(String(index)));
/** @param {number} index */
export const v = (index) => sub(vector("v", "is-value"), number(String(index)));
/** @param {number} i @param {number} j */
export const alpha = (i, j) => sub(name("α"), number(`${i}${i > 9 || j > 9 ? "," : ""}${j}`));

/**
 * The weighted tanh of the hidden layer's sums, which is additive attention's score.
 * @param {Pick<import("./numbers.js").Traced, "additive">} numbers
 * @param {{query: number, key: number | string}} at
 */
export function hiddenScore({ additive }, { query, key }) {
  const keyVector = typeof key === "number" ? k(key) : sub(vector("k", "is-key"), name(key));
  const inside = [sub(name("W"), name("q")), q(query), "+", sub(name("W"), name("k")), keyVector];
  const shift = additive?.bias ? ["+", vector("b")] : [];
  return row(sup(vector("w"), name("⊤")), name("tanh"), bracket(...inside, ...shift));
}

/** @param {number[]} numbers */
export function vectorOf(numbers) {
  const said = numbers.map((value) => number(Number.isInteger(value) ? fixed(value, 0) : fixed(value, 3)));
  return said.length === 1 ? said[0] : bracket(...listed(said));
}
