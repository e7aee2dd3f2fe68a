/** Render a token's name: signs for invisible characters are highlighted and spoken as words. */

import { el } from "../base/dom.js";
import { looseToken, tokenStretches } from "./labels.js";
import { t } from "../base/i18n.js";

/** @typedef {import("../api/types.js").Token} Token */

/**
 * @param {Token} token
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement}
 */
export function tokenName(token, attributes = {}) {
  const parts = tokenStretches(token).map(({ text, said, isSign }) =>
    isSign ? el("span", { class: "token-sign", role: "img", "aria-label": ` ${said} ` }, text) : text,
  );
  return el("bdi", attributes, ...parts);
}

/**
 * A short label: row and column of a patch.
 * @param {Token} token
 * @param {Record<string, string>} [attributes]
 */
export function briefName(token, attributes = {}) {
  return token.box ? el("bdi", attributes, token.text) : tokenName(token, attributes);
}

/**
 * A token's name with its number in the text, lowered as in "cat₂".
 * @param {Token} token
 * @param {0 | 1} numbering
 * @param {Record<string, string>} [attributes]
 * @returns {[HTMLElement, HTMLElement]}
 */
export function numberedName(token, numbering, attributes = {}) {
  return [tokenName(token, attributes), el("span", { class: "token-index is-lowered" }, token.index + numbering)];
}

/**
 * The same inside a control: a screen reader says "cat, token 2".
 * @param {Token} token
 * @param {0 | 1} numbering
 * @param {Record<string, string>} [attributes]
 * @returns {HTMLElement[]}
 */
export function spokenName(token, numbering, attributes = {}) {
  const [name, number] = numberedName(token, numbering, attributes);
  const [before, after] = t("token {index}", { index: "\n" }).split("\n");
  const hidden = (/** @type {string} */ text) => el("span", { class: "visually-hidden" }, text);
  return [name, hidden(`, ${before}`), number, hidden(after)];
}

/**
 * A token of the vocabulary, which stands in no text.
 * @param {string} text
 * @param {Record<string, string>} [attributes]
 */
export function textName(text, attributes = {}) {
  return tokenName(looseToken(text), attributes);
}
