/** Rows of one height in a box that scrolls: which are in view, and how far to scroll for one that is not. */

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
 * Just so far that a row is in view.
 * @param {Box} box
 * @param {number} row
 * @returns {number}  pixels from the top
 */
export function scrolledTo({ scrollTop, clientHeight }, row) {
  return Math.min(Math.max(scrollTop, (row + 1) * ROW - clientHeight), row * ROW);
}

/**
 * A row out of sight comes to the middle.
 * @param {Box} box
 * @param {number} row
 * @returns {number}  pixels from the top
 */
export function revealed(box, row) {
  return scrolledTo(box, row) === box.scrollTop ? box.scrollTop : row * ROW - (box.clientHeight - ROW) / 2;
}
