/** Choose a cell of a small matrix with the arrow keys. */

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
