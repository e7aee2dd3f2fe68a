/** Patches of an image as tokens: names, counted from 0 or 1, and keyboard navigation. */

import { madeOnce } from "../base/memoise.js";

/** @typedef {import("../api/types.js").Token} Token */

/**
 * Row and column of a patch as counted on screen; null for any other token.
 * @param {Token} token
 * @returns {{row: number, column: number} | null}
 */
export function patchPlace({ box, text }) {
  if (!box) return null;
  const [row, column] = text.split(",").map(Number);
  return { row, column };
}

const countedFromOne = madeOnce((/** @type {Token[]} */ tokens) =>
  tokens.map((token) => {
    const place = patchPlace(token);
    return place ? { ...token, text: `${place.row + 1},${place.column + 1}` } : token;
  }),
);

/**
 * The tokens of an image with rows and columns counted from 0 (as given) or from 1; texts are unchanged.
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 * @returns {Token[]}  the same list for the same tokens
 */
export function countedTokens(tokens, numbering) {
  return numbering === 0 || !tokens.some((token) => token.box) ? tokens : countedFromOne(tokens);
}

/**
 * Where a key leads: along rows and columns of patches; above the first row lie the tokens that are no patches.
 * @param {{first: number, down: number, across: number}} grid  `first`: index of the first patch
 * @param {number} index
 * @param {string} key
 * @returns {number | null}  null where the key leads nowhere
 */
export function nextPatch({ first, down, across }, index, key) {
  const last = first + down * across - 1;
  const column = (index - first) % across;
  /** @type {Record<string, number>} */
  const moves =
    index < first
      ? { ArrowRight: index + 1, ArrowLeft: index - 1, ArrowDown: first, Home: 0, End: last }
      : {
          ArrowRight: column < across - 1 ? index + 1 : index,
          ArrowLeft: column > 0 ? index - 1 : index,
          ArrowDown: index + across > last ? index : index + across,
          ArrowUp: index - across < first ? first - 1 : index - across,
          Home: index - column,
          End: index - column + across - 1,
        };
  if (!Object.hasOwn(moves, key)) return null;
  const next = moves[key];
  return next >= 0 && next <= last ? next : index;
}
