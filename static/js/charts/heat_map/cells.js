/** Values of a matrix's cells, and labels of its rows and columns. */

import { ticks } from "./geometry.js";
import { briefLabel, tokenLabel } from "../../wording/labels.js";
import { apartLabel, apartSign, numberSign } from "../../wording/token_apart.js";
import { isolated } from "../../wording/token_text.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} Pointed  the hovered query and key, in any view
 * @property {number | null} query
 * @property {number | null} key
 */

/** Pixels that a label needs across the line of labels, at the standard size of type. */
export const LABEL_ROOM = 14;
const LONGEST_LABEL = 14;

/**
 * @param {Matrix} matrix
 * @param {number} query
 * @param {number} key
 * @returns {number | null}  null outside the window
 */
export function valueAt(matrix, query, key) {
  const row = Math.floor((query - matrix.rows[0]) / matrix.cellRows);
  const col = Math.floor((key - matrix.cols[0]) / matrix.cellCols);
  if (row < 0 || col < 0 || row >= matrix.height || col >= matrix.width) return null;
  return matrix.values[row * matrix.width + col];
}

/**
 * The places that one cell spans.
 * @param {unknown[]} tokens
 * @param {number} token  any of them
 * @param {{first: number, size: number}} cells  where cells begin, and the tokens in each
 * @returns {Range}
 */
export function spanOf(tokens, token, { first, size }) {
  const start = first + Math.floor((token - first) / size) * size;
  return [start, Math.min(start + size, tokens.length)];
}

/**
 * The token, or the tokens, that one cell spans.
 * @param {Token[]} tokens
 * @param {number} token  any of them
 * @param {{first: number, size: number, numbering: 0 | 1}} cells  where cells begin, and the tokens in each
 * @returns {string}
 */
export function spanLabel(tokens, token, { first, size, numbering }) {
  if (size === 1) return apartLabel(tokens, tokens[token], numbering);
  const [start, end] = spanOf(tokens, token, { first, size });
  const [from, to] = [tokens[start], tokens[end - 1]];
  const said = (/** @type {Token} */ token) => isolated(tokenLabel(token));
  return `${said(from)} … ${said(to)} (${from.index + numbering}–${to.index + numbering})`;
}

/**
 * @typedef {object} Ruler  along a side of a matrix
 * @property {number} length  pixels along it
 * @property {number} room  pixels across it, for a label
 * @property {(text: string) => number} width  of a text in pixels
 * @property {number} [line]  pixels that a label needs along it
 */

/**
 * The label that fits beside each token. Its number, which it has where another token looks the same or not every token
 * is labelled, is never shortened.
 * @param {Token[]} tokens
 * @param {Range} range
 * @param {Ruler} ruler
 * @param {0 | 1} numbering
 * @returns {{at: number, text: string}[]}
 */
export function axisLabels(tokens, range, { length, room, width, line = LABEL_ROOM }, numbering) {
  const positions = ticks(range, length, line);
  const isEvery = positions.length === range[1] - range[0];
  return positions.flatMap((place) => {
    const token = tokens[place];
    const number = isEvery ? apartSign(tokens, token, numbering) : numberSign(token, numbering);
    const text = fitted(isolated(shortLabel(token)), number, room, width);
    return text === "" ? [] : [{ at: place, text }];
  });
}

/**
 * A word followed by a number, as in cat₁₂, within this width: the word may be shortened, the number never. Alone it
 * stands in digits of full size.
 * @param {string} word
 * @param {string} number  in lowered digits; "" for none
 * @param {number} room  pixels
 * @param {Ruler["width"]} width
 * @returns {string}  "" if not even the number fits
 */
export function fitted(word, number, room, width) {
  if (width(word + number) <= room) return word + number;
  const signs = [...word.replace(/…?\u2069?$/u, "")];
  const close = word.endsWith("\u2069") ? "\u2069" : "";
  let [least, most] = [0, signs.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (width(shortened(middle)) <= room) least = middle;
    else most = middle - 1;
  }
  if (least > (close ? 1 : 0)) return shortened(least);
  const alone = number.normalize("NFKC");
  return alone !== "" && width(alone) <= room ? alone : "";

  /** @param {number} count */
  function shortened(count) {
    return `${signs.slice(0, count).join("")}…${close}${number}`;
  }
}

/**
 * @param {Token} token
 * @returns {string}
 */
export function shortLabel(token) {
  const label = [...briefLabel(token)];
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1).join("")}…` : label.join("");
}
