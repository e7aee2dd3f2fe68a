/** Which tokens of a long text are in the strip: a window that moves along, so that the DOM stays small. */

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/** Most tokens that stand on the page at once. */
const MOST_CHIPS = 512;

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
 * The token that what was typed means: a number as counted on screen, or the next token after `from` holding the text.
 * @param {Token[]} tokens
 * @param {string} typed
 * @param {{from: number, numbering: 0 | 1}} place
 * @returns {number | null}
 */
export function findToken(tokens, typed, { from, numbering }) {
  const wanted = typed.trim().toLocaleLowerCase();
  if (wanted === "" || tokens.length === 0) return null;
  if (/^\d{1,7}$/.test(wanted)) {
    const index = Number(wanted) - numbering;
    if (index >= 0 && index < tokens.length) return index;
  }
  for (let step = 1; step <= tokens.length; step++) {
    const index = (from + step) % tokens.length;
    const { text, token } = tokens[index];
    if (text.toLocaleLowerCase().includes(wanted) || token?.toLocaleLowerCase() === wanted) return index;
  }
  return null;
}
