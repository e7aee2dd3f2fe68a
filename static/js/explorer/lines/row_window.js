/** Rows of equal height in a scrolling box: their height, which are in view, and how far to scroll to one that is not. */

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{scrollTop: number, clientHeight: number, row: number}} Box  `row`: pixels from one row to the next */

/** Pixels from one row to the next, where there is room, at the standard size of type. */
export const ROW = 28;
/** A row that is still easy to hit. */
const LEAST_ROW = 24;

/**
 * Rows stand closer where all of them fit then; else the box scrolls.
 * @param {number} count
 * @param {number} room  pixels
 * @param {number} [scale]  of the page's type
 * @returns {{row: number, height: number}}  of a row, and of the box
 */
export function fitted(count, room, scale = 1) {
  const [most, least] = [ROW, LEAST_ROW].map((height) => Math.round(height * scale));
  const row = Math.min(most, Math.floor(room / Math.max(1, count)));
  return row >= least ? { row, height: count * row } : { row: most, height: room };
}

/**
 * @param {Box} box
 * @param {number} count
 * @returns {Range}  at least one row
 */
export function rowsInView({ scrollTop, clientHeight, row }, count) {
  const first = Math.floor(scrollTop / row);
  const end = Math.ceil((scrollTop + clientHeight) / row);
  return [Math.max(0, first), Math.min(count, Math.max(end, first + 1))];
}

/**
 * The smallest scroll that brings a row into view.
 * @param {Box} box
 * @param {number} index
 * @returns {number}  pixels from the top
 */
export function scrolledTo({ scrollTop, clientHeight, row }, index) {
  return Math.min(Math.max(scrollTop, (index + 1) * row - clientHeight), index * row);
}

/**
 * Centres a row that is out of view.
 * @param {Box} box
 * @param {number} index
 * @returns {number}  pixels from the top
 */
export function revealed(box, index) {
  const { scrollTop, clientHeight, row } = box;
  return scrolledTo(box, index) === scrollTop ? scrollTop : index * row - (clientHeight - row) / 2;
}
