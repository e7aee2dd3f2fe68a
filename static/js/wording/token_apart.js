/** Tell equal tokens of a text apart: each is written with its position, as “the₅”, where another looks the same. */

import { el } from "../base/dom.js";
import { tokenLabel } from "./labels.js";
import { tokenName } from "./token_name.js";

/** @typedef {import("../api/types.js").Token} Token */

/** How often each label occurs. @type {WeakMap<readonly Token[], Map<string, number>>} */
const counted = new WeakMap();

/**
 * The token's label, with its position if another token of the text has the same.
 * @param {readonly Token[]} tokens
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function apartLabel(tokens, token, numbering) {
  return tokenLabel(token) + (isRepeated(tokens, token) ? lowered(token.index + numbering) : "");
}

/**
 * The same as an element.
 * @param {readonly Token[]} tokens
 * @param {Token} token
 * @param {0 | 1} numbering
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement}
 */
export function apartName(tokens, token, numbering, attributes = {}) {
  const name = tokenName(token, attributes);
  if (isRepeated(tokens, token)) name.append(el("span", {}, lowered(token.index + numbering)));
  return name;
}

/**
 * @param {readonly Token[]} tokens
 * @param {Token} token
 */
function isRepeated(tokens, token) {
  let counts = counted.get(tokens);
  if (!counts) {
    counts = new Map();
    for (const label of tokens.map(tokenLabel)) counts.set(label, (counts.get(label) ?? 0) + 1);
    counted.set(tokens, counts);
  }
  return (counts.get(tokenLabel(token)) ?? 0) > 1 && !token.box;
}

/**
 * A number in lowered digits.
 * @param {number} number
 */
function lowered(number) {
  return String(number).replace(/\d/g, (digit) => String.fromCodePoint(0x2080 + Number(digit)));
}
