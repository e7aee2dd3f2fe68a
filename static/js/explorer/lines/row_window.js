/** Rows of equal height in a scrolling box: which are in view, and how far to scroll to one that is not. */

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{scrollTop: number, clientHeight: number}} Box */

/** Pixels from one row to the next. */
export const ROW = 28;

/**
 * @param {Box} box
 * @param {number} count
 * @returns {Range}  at least one row
 */
export function rowsInView({ scrollTop, clientHeight }, count) {
  const first = Math.floor(scrollTop / ROW);
  const end = Math.ceil((scrollTop + clientHeight) / ROW);
  return [Math.max(0, first), Math.min(count, Math.max(end, first + 1))];
}

/**
 * The smallest scroll that brings a row into view.
 * @param {Box} box
 * @param {number} row
 * @returns {number}  pixels from the top
 */
export function scrolledTo({ scrollTop, clientHeight }, row) {
  return Math.min(Math.max(scrollTop, (row + 1) * ROW - clientHeight), row * ROW);
}

/**
 * Centres a row that is out of view.
 * @param {Box} box
 * @param {number} row
 * @returns {number}  pixels from the top
 */
export function revealed(box, row) {
  return scrolledTo(box, row) === box.scrollTop ? box.scrollTop : row * ROW - (box.clientHeight - ROW) / 2;
}
