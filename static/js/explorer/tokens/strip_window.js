/** Which tokens of a long text are in the strip: a window that moves along, so that the DOM stays small. */

/** @typedef {import("../../base/decode.js").Range} Range */

/** Most tokens that stand on the page at once. */
const MOST_CHIPS = 512;
/** Pixels from an end of the strip at which the next stretch is put in. */
const NEAR_END = 120;

/**
 * @param {number} count
 * @returns {Range}
 */
export function firstStretch(count) {
  return [0, Math.min(count, MOST_CHIPS)];
}

/**
 * The stretch around a token; the same one where the token is well inside it.
 * @param {Range} stretch
 * @param {number} token
 * @param {number} count
 * @returns {Range}
 */
export function stretchTo(stretch, token, count) {
  if (token >= stretch[0] && token < stretch[1]) return stretch;
  return stretchAt(token - MOST_CHIPS / 2, count);
}

/**
 * Half a stretch on, towards the end (1) or the beginning (−1).
 * @param {Range} stretch
 * @param {1 | -1} direction
 * @param {number} count
 * @returns {Range}
 */
export function nextStretch([first], direction, count) {
  return stretchAt(first + (direction * MOST_CHIPS) / 2, count);
}

/**
 * @param {number} first
 * @param {number} count
 * @returns {Range}
 */
function stretchAt(first, count) {
  const start = Math.min(Math.max(first, 0), Math.max(0, count - MOST_CHIPS));
  return [start, Math.min(count, start + MOST_CHIPS)];
}

/**
 * Near an end of a strip that scrolls the next stretch is put in.
 * @param {Record<"scrollTop" | "scrollHeight" | "clientHeight" | "scrollLeft" | "scrollWidth" | "clientWidth", number>} strip
 * @param {boolean} isRow  it scrolls sideways
 * @param {Range} stretch
 * @param {number} count
 * @returns {1 | -1 | 0}  towards the end, the beginning, or nowhere
 */
export function wayNearEnd(strip, isRow, [first, end], count) {
  const { scrollTop, scrollHeight, clientHeight, scrollLeft, scrollWidth, clientWidth } = strip;
  const before = isRow ? Math.abs(scrollLeft) : scrollTop; // negative where the text runs to the left
  const after = isRow ? scrollWidth - clientWidth - before : scrollHeight - clientHeight - before;
  if (after < NEAR_END && end < count) return 1;
  return before < NEAR_END && first > 0 ? -1 : 0;
}
