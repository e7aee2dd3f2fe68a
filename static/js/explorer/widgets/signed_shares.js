/** Signed shares: the strongest of them, how exactly they are said, and a list of them with bars. */

import { el } from "../../base/dom.js";
import { fixed } from "../../base/numbers.js";

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
 * Digits with which the largest of these numbers has at least two that say something.
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
  const found = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === 0 || (found.length === count && Math.abs(value) <= Math.abs(found[count - 1].value))) continue;
    const place = found.findIndex((one) => Math.abs(one.value) < Math.abs(value));
    const cell = { row: Math.floor(index / width), column: index % width, value };
    found.splice(place < 0 ? found.length : place, 0, cell);
    found.length = Math.min(found.length, count);
  }
  return found;
}

/**
 * Without what these digits cannot tell from 0.
 * @param {number} value
 * @param {number} digits
 * @returns {number}
 */
export function rounded(value, digits) {
  return Number(value.toFixed(digits)) || 0;
}

/**
 * Those that these digits cannot tell from 0 are left out.
 * @param {{name: Child[], value: number, isChosen: boolean, onPick: () => void}[]} items
 * @param {number} digits
 * @returns {HTMLOListElement}
 */
export function signedList(items, digits) {
  const most = largest(items.map(({ value }) => value)) || 1;
  return el(
    "ol",
    { class: "reads signed-list" },
    ...items.map(({ name, value, isChosen, onPick }) => {
      if (rounded(value, digits) === 0) return null;
      const bar = el("span", { class: `reads-bar ${kindOf(value)}`, "aria-hidden": "true" });
      bar.style.setProperty("--share", String(Math.abs(value) / most));
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "reads-item", "aria-pressed": String(isChosen), onclick: onPick },
          el("span", { class: "reads-name" }, ...name),
          el("span", { class: "reads-value" }, signed(value, digits)),
          bar,
        ),
      );
    }),
  );
}

/** @param {number} value */
export function kindOf(value) {
  return value < 0 ? "is-negative" : "is-positive";
}

/**
 * Fills an element anew; what had the focus in it has it again.
 * @param {HTMLElement} element
 * @param {() => void} refill
 */
export function keepingFocus(element, refill) {
  const buttons = () => [...element.querySelectorAll("button")];
  const focused = buttons().findIndex((one) => one === document.activeElement);
  refill();
  if (focused >= 0) buttons()[focused]?.focus();
}
