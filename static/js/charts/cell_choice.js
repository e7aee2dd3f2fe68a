/** Choose a cell of a small matrix with the arrow keys; it is announced, and has a frame. */

import { svg } from "../base/dom.js";

/** @typedef {{row: number, column: number}} At */

/** @type {Record<string, [number, number]>}  rows down, columns to the right */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * The cell that a key moves to; null for other keys.
 * @param {Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey">} event
 * @param {At} at
 * @param {readonly (readonly unknown[])[]} values
 * @returns {At | null}
 */
export function steppedTo({ key, altKey, ctrlKey, metaKey }, { row, column }, values) {
  if (!Object.hasOwn(STEPS, key) || altKey || ctrlKey || metaKey) return null;
  const [down, right] = STEPS[key];
  return inside({ row: row + down, column: column + right }, values);
}

/**
 * The nearest cell that there is.
 * @param {At} at
 * @param {readonly (readonly unknown[])[]} values
 * @returns {At}
 */
export function inside({ row, column }, values) {
  const within = (/** @type {number} */ index, /** @type {number} */ count) => Math.min(Math.max(index, 0), count - 1);
  return { row: within(row, values.length), column: within(column, values[0].length) };
}

/**
 * The keyboard's cell: keys arrive faster than redraws, so only a different chosen cell in the data moves it.
 * @template {At | null | undefined} T
 * @param {NonNullable<T>} current
 * @param {T} before
 * @param {T} now
 */
export function standing(current, before, now) {
  return now && (now.row !== before?.row || now.column !== before?.column) ? now : current;
}

/**
 * Announces the keyboard's cell as a slider's value.
 * @param {Element} slider
 * @param {At} at
 * @param {readonly (readonly unknown[])[]} values
 * @param {string} says  the cell in words
 */
export function tellCell(slider, { row, column }, values, says) {
  const columns = values[0].length;
  const told = { min: 0, max: values.length * columns - 1, now: row * columns + column, text: says };
  for (const [name, value] of Object.entries(told)) slider.setAttribute(`aria-value${name}`, String(value));
}

/**
 * A frame in two colours, so that it is seen on any cell.
 * @param {string} kind
 * @param {{x: number, y: number, width: number, height: number}} box
 */
export function framed(kind, box) {
  return [svg("rect", { class: "mark-halo", ...box }), svg("rect", { class: kind, ...box })];
}
