/** Tell equal tokens of a text apart: each is written with its position, as “the₅”, where another looks the same. */

import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { madeOnce } from "../base/memoise.js";
import { lowered } from "../base/numbers.js";
import { tokenLabel } from "./labels.js";
import { briefName } from "./token_name.js";
import { isolated } from "./token_text.js";

/** @typedef {import("../api/types.js").Token} Token */

/** How often each label occurs. */
const countsOf = madeOnce((/** @type {readonly Token[]} */ tokens) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const label of tokens.map(tokenLabel)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
});

/**
 * The token's label, with its position if another token of the text has the same.
 * @param {readonly Token[]} tokens
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function apartLabel(tokens, token, numbering) {
  return tokenLabel(token) + apartSign(tokens, token, numbering);
}

/**
 * A token's label in the reader's quotation marks, as every token stands in a sentence that does not quote it itself.
 * @param {string} label
 * @returns {string}
 */
export function quoted(label) {
  return t("“{token}”", { token: label });
}

/**
 * The token's label with its position in any case, as in sentences: “it₈”. A patch has its place in its name.
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function numberedLabel(token, numbering) {
  return isolated(tokenLabel(token)) + numberSign(token, numbering);
}

/**
 * Its position in lowered digits; "" of a patch, whose name says its place.
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function numberSign(token, numbering) {
  return token.box ? "" : lowered(token.index + numbering);
}

/**
 * Its position in lowered digits where another token of the text looks the same, else "".
 * @param {readonly Token[]} tokens
 * @param {Token} token
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function apartSign(tokens, token, numbering) {
  return isRepeated(tokens, token) ? lowered(token.index + numbering) : "";
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
  const name = briefName(token, attributes);
  const sign = apartSign(tokens, token, numbering);
  if (sign) name.append(el("span", {}, sign));
  return name;
}

/**
 * @param {readonly Token[]} tokens
 * @param {Token} token
 */
function isRepeated(tokens, token) {
  return (countsOf(tokens).get(tokenLabel(token)) ?? 0) > 1 && !token.box;
}
