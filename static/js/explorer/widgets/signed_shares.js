/** Signed shares: select the strongest, choose their digits, and list them with bars. */

import { el } from "../../base/dom.js";
import { moveInList } from "../../base/key_moves.js";
import { fixed, rounded } from "../../base/numbers.js";
import { shareItem } from "./share_list.js";

/** @typedef {import("../../base/dom.js").Child} Child */

/**
 * @param {number} value
 * @param {number} digits  after the point
 * @returns {string}  with its sign, be it + or −
 */
export function signed(value, digits) {
  const near = rounded(value, digits);
  return `${near > 0 ? "+" : ""}${fixed(near, digits)}`;
}

/**
 * Decimal places that give the largest of these numbers at least two significant digits.
 * @param {Iterable<number>} values
 * @returns {number}
 */
export function digitsFor(values) {
  const most = largest(values);
  return most === 0 ? 2 : Math.min(5, Math.max(2, Math.ceil(1 - Math.log10(most))));
}

/**
 * @param {Iterable<number>} values
 * @returns {number}  the largest size; 0 of none
 */
export function largest(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * The cells of the largest size, the largest first; cells of 0 are none.
 * @param {ArrayLike<number>} values  row-major
 * @param {number} width
 * @param {number} count
 * @returns {{row: number, column: number, value: number}[]}
 */
export function strongest(values, width, count) {
  /** @type {{row: number, column: number, value: number}[]} */
  const cells = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === 0 || (cells.length === count && Math.abs(value) <= Math.abs(cells[count - 1].value))) continue;
    const place = cells.findIndex((cell) => Math.abs(cell.value) < Math.abs(value));
    const cell = { row: Math.floor(index / width), column: index % width, value };
    cells.splice(place < 0 ? cells.length : place, 0, cell);
    cells.length = Math.min(cells.length, count);
  }
  return cells;
}

/**
 * Numbers that round to 0 at these digits are left out.
 * @param {{name: Child[], value: number, isChosen: boolean, onPick: () => void}[]} items
 * @param {number} digits
 * @returns {HTMLOListElement}
 */
export function signedList(items, digits) {
  const most = largest(items.map(({ value }) => value)) || 1;
  const listed = items.filter(({ value }) => rounded(value, digits) !== 0);
  return el(
    "ol",
    { class: "reads signed-list", onkeydown: moveFocus },
    ...listed.map(({ value, ...item }) =>
      shareItem({ ...item, value: signed(value, digits), share: Math.abs(value) / most, kind: kindOf(value) }),
    ),
  );
}

/** Arrows, Home and End go from row to row; Enter is the button's own. @param {Event} event */
function moveFocus(event) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const rows = [...list.querySelectorAll("button")];
  const index = rows.findIndex((row) => row === event.target);
  const to = index < 0 ? null : moveInList(/** @type {KeyboardEvent} */ (event).key, index, rows.length);
  if (to === null) return;
  event.preventDefault();
  event.stopPropagation();
  rows[to].focus();
}

/** @param {number} value */
export function kindOf(value) {
  return value < 0 ? "is-negative" : "is-positive";
}
