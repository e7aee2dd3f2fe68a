/** Rows of equal height in a scrolling box: which are in view, and how far to scroll to one that is not. */

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{scrollTop: number, clientHeight: number}} Box */

/** From one row to the next, at the standard size of type. */
export const ROW = 28;

/**
 * @param {Box} box
 * @param {number} count
 * @param {number} [height]  of a row
 * @returns {Range}  at least one row
 */
export function rowsInView({ scrollTop, clientHeight }, count, height = ROW) {
  const first = Math.floor(scrollTop / height);
  const end = Math.ceil((scrollTop + clientHeight) / height);
  return [Math.max(0, first), Math.min(count, Math.max(end, first + 1))];
}

/**
 * The smallest scroll that brings a row into view.
 * @param {Box} box
 * @param {number} row
 * @param {number} [height]  of a row
 * @returns {number}  pixels from the top
 */
export function scrolledTo({ scrollTop, clientHeight }, row, height = ROW) {
  return Math.min(Math.max(scrollTop, (row + 1) * height - clientHeight), row * height);
}

/**
 * Centres a row that is out of view.
 * @param {Box} box
 * @param {number} row
 * @param {number} [height]  of a row
 * @returns {number}  pixels from the top
 */
export function revealed(box, row, height = ROW) {
  if (scrolledTo(box, row, height) === box.scrollTop) return box.scrollTop;
  return row * height - (box.clientHeight - height) / 2;
}
