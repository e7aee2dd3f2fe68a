/** Two pictures of the same cells, and what is between them. */

import { tokenLabel } from "./labels.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Candidate} Candidate */
/** @typedef {import("./types.js").Matrix} Matrix */
/** @typedef {import("./types.js").Token} Token */

/**
 * second − first, cell by cell. A cell that is masked in either is masked.
 * @param {Matrix} first
 * @param {Matrix} second
 * @returns {Matrix | null}  null where the cells are not the same
 */
export function subtract(first, second) {
  const isSame = first.height === second.height && first.width === second.width;
  if (!isSame || String([first.rows, first.cols]) !== String([second.rows, second.cols])) return null;
  const values = Float32Array.from(second.values, (value, index) => {
    const difference = value - first.values[index];
    return Number.isFinite(difference) ? difference : -Infinity;
  });
  return { ...second, values };
}

/** @typedef {{query_tokens: number, key_tokens: number}} Sized */

/**
 * Whether two runs have the same cells.
 * @param {Sized} first
 * @param {Sized} second
 * @returns {boolean}
 */
export function isAlike(first, second) {
  return first.query_tokens === second.query_tokens && first.key_tokens === second.key_tokens;
}

/**
 * Whether the server subtracts two parts: it takes their pictures, heads by heads, so they must be of one kind.
 * @param {Sized & {name: string, layers: number, heads: number}} first
 * @param {Sized & {name: string, layers: number, heads: number}} second
 * @returns {boolean}
 */
export function isComparable(first, second) {
  const isSameKind = first.name === second.name && first.layers === second.layers && first.heads === second.heads;
  return isSameKind && isAlike(first, second);
}

/**
 * The tokens of two texts place by place; where they differ, both are named.
 * @param {Token[]} first
 * @param {Token[]} second
 * @returns {Token[]}
 */
export function joinTokens(first, second) {
  if (first === second) return second;
  return second.map((token, index) => {
    const before = tokenLabel(first[index]);
    const label = tokenLabel(token);
    return before === label ? token : { ...token, text: `${before} | ${label}` };
  });
}

/**
 * @typedef {object} CandidatePair  one token as both models see it; null below what was listed
 * @property {string} text
 * @property {number | null} first
 * @property {number | null} second
 */

/**
 * Candidates side by side, those first that either thinks most probable.
 * @param {Candidate[]} first
 * @param {Candidate[]} second
 * @param {boolean} isSameModel  whose tokens are told apart by their number; two that look the same may be two
 * @returns {CandidatePair[]}
 */
export function pairCandidates(first, second, isSameModel) {
  /** @type {Map<string | number, CandidatePair>} */
  const pairs = new Map();
  const nameOf = (/** @type {Candidate} */ { id, text }) => (isSameModel ? id : text);
  for (const one of first) pairs.set(nameOf(one), { text: one.text, first: one.probability, second: null });
  for (const one of second) {
    const pair = pairs.get(nameOf(one));
    if (pair) pair.second = one.probability;
    else pairs.set(nameOf(one), { text: one.text, first: null, second: one.probability });
  }
  const most = (/** @type {CandidatePair} */ pair) => Math.max(pair.first ?? 0, pair.second ?? 0);
  return [...pairs.values()].sort((one, other) => most(other) - most(one));
}
