/** Geometry of a matrix's cells and labels, independent of the DOM. */

/** @typedef {import("../../base/decode.js").Range} Range */

/** Largest number of cells per side that is fetched and drawn; more tokens are pooled. */
export const MAX_CELLS = 256;
/** Fewest tokens a side that zooming in leaves. */
export const MIN_SPAN = 4;
/** Tolerance for rounding errors. */
const EDGE = 1e-6;

/**
 * Tokens per side of one cell when `count` tokens are pooled to `MAX_CELLS`; the server cuts the same way.
 * @param {number} count
 * @returns {number}
 */
export function cellSize(count) {
  return Math.max(1, Math.ceil(count / MAX_CELLS));
}

/**
 * A dragged axis range as whole tokens, every one that it touches.
 * @param {[number, number]} range  in either order; token i spans i − ½ … i + ½
 * @param {number} count
 * @returns {Range}
 */
export function snap([from, to], count) {
  const first = Math.min(Math.max(Math.floor(Math.min(from, to) + 0.5 + EDGE), 0), count - 1);
  const end = Math.min(Math.max(Math.ceil(Math.max(from, to) + 0.5 - EDGE), first + 1), count);
  return widen([first, end], Math.min(MIN_SPAN, count), count);
}

/**
 * The tokens that a rectangle touches.
 * @param {Range} range
 * @param {[number, number]} shares
 * @param {number} count
 * @returns {Range}
 */
export function touched([first, end], shares, count) {
  return snap(/** @type {Range} */ (shares.map((share) => first + share * (end - first) - 0.5)), count);
}

/**
 * A window of `span` tokens around the middle of another, inside 0…count.
 * @param {Range} range
 * @param {number} span
 * @param {number} count
 * @returns {Range}
 */
function widen(range, span, count) {
  const size = Math.min(Math.max(span, range[1] - range[0]), count);
  return centre((range[0] + range[1]) / 2, size, count);
}

/**
 * @param {number} middle
 * @param {number} size
 * @param {number} count
 * @returns {Range}
 */
export function centre(middle, size, count) {
  const first = Math.min(Math.max(Math.round(middle - size / 2), 0), count - size);
  return [first, first + size];
}

/**
 * Zooms around a token, or around the window's middle when the token is not in view.
 * @param {Range} range
 * @param {number} factor  below 1 goes closer
 * @param {number | null} token
 * @param {number} count
 * @returns {Range}
 */
export function zoom(range, factor, token, count) {
  const size = range[1] - range[0];
  const wanted = Math.round(size * factor);
  const span = Math.min(Math.max(wanted === size ? size + Math.sign(factor - 1) : wanted, MIN_SPAN), count);
  const middle = token !== null && token >= range[0] && token < range[1] ? token + 0.5 : (range[0] + range[1]) / 2;
  return centre(middle, Math.min(span, count), count);
}

/**
 * Moves a window just far enough to contain a token.
 * @param {Range} range
 * @param {number | null} token
 * @returns {Range}
 */
export function include(range, token) {
  if (token === null || (token >= range[0] && token < range[1])) return range;
  const shift = token < range[0] ? token - range[0] : token - range[1] + 1;
  return [range[0] + shift, range[1] + shift];
}

/**
 * The tokens to label: all, or every 2nd, 5th, 10th … as space allows.
 * @param {Range} range
 * @param {number} length  pixels
 * @param {number} room  pixels a label needs
 * @returns {number[]}
 */
export function ticks([first, end], length, room) {
  const most = Math.max(2, Math.floor(length / room));
  const needed = Math.ceil((end - first) / most);
  const step = needed <= 1 ? 1 : niceStep(needed);
  const chosen = [];
  for (let token = Math.ceil(first / step) * step; token < end; token += step) chosen.push(token);
  return chosen;
}

/**
 * @param {number} least
 * @returns {number}  the next of 2, 5, 10, 20, 50 …
 */
function niceStep(least) {
  let scale = 1;
  for (;;) {
    for (const digit of [1, 2, 5]) if (digit * scale >= least) return digit * scale;
    scale *= 10;
  }
}

/**
 * The position of a cell in the plot, as shares of its sides; null outside the window.
 * @param {Range} range
 * @param {number} token
 * @param {number} [size]  tokens it spans
 * @returns {{start: number, size: number} | null}
 */
export function place([first, end], token, size = 1) {
  if (token + size <= first || token >= end) return null;
  const start = Math.max(token, first);
  return { start: (start - first) / (end - first), size: (Math.min(token + size, end) - start) / (end - first) };
}

/**
 * The largest plot that fits: square cells unless that would leave one side too thin.
 * @param {number} rows
 * @param {number} cols
 * @param {number} room  pixels across
 * @param {number} most  pixels down
 * @returns {{width: number, height: number}}
 */
export function plotSize(rows, cols, room, most) {
  const cell = Math.min(room / cols, most / rows);
  const width = Math.min(room, Math.max(cell * cols, Math.min(room, 120)));
  const height = Math.min(most, Math.max(cell * rows, Math.min(most, 120)));
  return { width: Math.floor(width + EDGE), height: Math.floor(height + EDGE) };
}
