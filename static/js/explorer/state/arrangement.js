/**
 * Which tokens are shown: special ones hidden, sub-words merged to words.
 *
 * Attention *to* a word is the sum over its tokens, attention *from* a word the mean over them, as Clark et al. (2019),
 * section 4.1, have it: so a row still adds up to 1. Hidden columns are left out; rows add up to 1 again only if asked.
 */

import { continuesWord, tokenText } from "../../wording/labels.js";
import { visible } from "../../wording/token_text.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} Arrangement
 * @property {Token[]} tokens  shown; a word has the index of its first token
 * @property {Range[]} spans  tokens that each stands for
 * @property {Int32Array} places  where each token is shown; −1 where it is hidden
 * @property {boolean} isPlain  nothing hidden, nothing merged
 */

/**
 * @param {Token[]} tokens
 * @param {boolean} hide  special tokens
 * @param {boolean} words  rather than sub-words
 * @param {Range} [range]  of those that are shown at all
 * @returns {Arrangement}
 */
export function arrange(tokens, hide, words, [start, stop] = [0, tokens.length]) {
  /** @type {Range[]} */
  const spans = [];
  const places = new Int32Array(tokens.length).fill(-1);
  tokens.forEach((token, index) => {
    if ((hide && token.special) || index < start || index >= stop) return;
    const last = spans.at(-1);
    const isMore = words && last !== undefined && last[1] === index && continuesWord(token, tokens[index - 1]);
    if (isMore) last[1] = index + 1;
    else spans.push([index, index + 1]);
    places[index] = spans.length - 1;
  });
  const isPlain = spans.length === tokens.length;
  return { tokens: isPlain ? tokens : spans.map((span) => merge(tokens, span)), spans, places, isPlain };
}

/**
 * @param {Token[]} tokens
 * @param {Range} span
 * @returns {Token}
 */
function merge(tokens, [first, end]) {
  if (end - first === 1) return tokens[first];
  const parts = tokens.slice(first, end);
  const isWhole = tokens[end]?.word !== parts[0].word;
  const text = (isWhole && parts[0].word_text) || saidBy(parts);
  return {
    ...parts[0],
    text,
    label: visible(text),
    token: parts.map((part) => part.token ?? part.text).join(" "),
    end: parts.at(-1)?.end ?? null,
  };
}

/**
 * What tokens say together, of which the text is not known or which are a part of a word.
 * @param {Token[]} parts
 */
function saidBy(parts) {
  // Of a character cut into bytes every piece says the whole.
  const isByte = (/** @type {Token} */ { start, end, text }, /** @type {Token | undefined} */ before) =>
    start !== null && start === before?.start && end === before.end && text === before.text;
  const own = parts.filter((part, index) => !isByte(part, parts[index - 1]));
  return own.map((part) => (own.length < parts.length ? part.text : tokenText(part))).join("");
}

/**
 * @param {Pick<Arrangement, "places">} arrangement
 * @param {number | null} token
 * @returns {number | null}  where it is shown; null where it is hidden
 */
export function shownPlace({ places }, token) {
  const place = token === null ? -1 : (places[token] ?? -1);
  return place < 0 ? null : place;
}

/**
 * @param {Pick<Arrangement, "spans"> | undefined} arrangement
 * @param {number | null} place
 * @returns {number | null}  the first token that stands there
 */
export function tokenAt(arrangement, place) {
  return place === null ? null : (arrangement?.spans[place]?.[0] ?? null);
}

/**
 * @param {{queries: Pick<Arrangement, "places">, keys: Pick<Arrangement, "places">}} sides
 * @param {import("../../charts/heat_map/cells.js").Pointed} pointed  tokens
 * @returns {import("../../charts/heat_map/cells.js").Pointed}  places
 */
export function shownPlaces({ queries, keys }, { query, key }) {
  return { query: shownPlace(queries, query), key: shownPlace(keys, key) };
}

/**
 * Where a range of tokens is shown.
 * @param {Arrangement} arrangement
 * @param {Range} range
 * @returns {Range}
 */
export function shownRange({ spans }, [first, end]) {
  const start = spans.findIndex((span) => span[1] > first);
  const stop = spans.findIndex((span) => span[0] >= end);
  const range = /** @type {Range} */ ([Math.max(start, 0), stop < 0 ? spans.length : stop]);
  return range[0] < range[1] ? range : [0, spans.length];
}

/**
 * The tokens that a range of places stands for.
 * @param {Arrangement} arrangement
 * @param {Range} range
 * @param {number} count  of all tokens
 * @returns {Range}
 */
export function tokenRange({ spans }, [first, end], count) {
  return [first === 0 ? 0 : spans[first][0], end === spans.length ? count : spans[end - 1][1]];
}

/**
 * One row of weights as it is shown.
 * @param {Float32Array[]} rows  of the tokens that one place stands for, over all keys
 * @param {Arrangement} keys
 * @param {boolean} renormalise  make what is left add up to 1
 * @returns {Float32Array}
 */
export function condenseRow(rows, keys, renormalise) {
  if (rows.length === 1 && keys.isPlain) return rows[0];
  const out = new Float32Array(keys.spans.length);
  for (const row of rows) {
    keys.places.forEach((place, key) => {
      if (place >= 0) out[place] += row[key] / rows.length;
    });
  }
  const total = renormalise ? out.reduce((sum, value) => sum + value, 0) : 1;
  return total > 0 && total !== 1 ? out.map((value) => value / total) : out;
}

/**
 * A whole matrix as it is shown. Numbers other than weights are neither summed nor averaged: only hiding applies.
 * @param {Matrix} matrix  every query and key, one token a cell
 * @param {Arrangement} queries
 * @param {Arrangement} keys
 * @param {boolean} renormalise
 * @returns {Matrix}
 */
export function condense(matrix, queries, keys, renormalise) {
  if (queries.isPlain && keys.isPlain) return matrix;
  const [height, width] = [queries.spans.length, keys.spans.length];
  const values = new Float32Array(height * width);
  const row = (/** @type {number} */ query) => matrix.values.subarray(query * matrix.width, (query + 1) * matrix.width);
  queries.spans.forEach(([first, end], place) => {
    const rows = Array.from({ length: end - first }, (_, index) => row(first + index));
    values.set(condenseRow(rows, keys, renormalise), place * width);
  });
  return { ...matrix, values, height, width, rows: [0, height], cols: [0, width] };
}

/**
 * The mean of the same window of several heads.
 * @param {Matrix[]} matrices
 * @returns {Matrix}
 */
export function meanMatrix(matrices) {
  if (matrices.length === 1) return matrices[0];
  const values = new Float32Array(matrices[0].values.length);
  for (const matrix of matrices) {
    for (let cell = 0; cell < values.length; cell++) values[cell] += matrix.values[cell] / matrices.length;
  }
  return { ...matrices[0], values };
}
