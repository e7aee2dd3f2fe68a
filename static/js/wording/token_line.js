/** A line of tokens, the one way to write it: its direction, each token's name, and which belong to one word. */

import { el } from "../base/dom.js";
import { continuesWord, direction } from "./labels.js";
import { tokenName } from "./token_name.js";

/** @typedef {import("../api/types.js").Token} Token */

/**
 * One token of a line.
 * @param {readonly Token[]} tokens  all of the line
 * @param {number} index
 * @param {string} kind  its class; `is-special`, `is-joined` and `starts-segment` are added
 * @param {Record<string, string | number | null>} [attributes]
 * @param {...(Node | null)} behind  its name
 */
export function tokenOfLine(tokens, index, kind, attributes = {}, ...behind) {
  const [token, previous] = [tokens[index], /** @type {Token | undefined} */ (tokens[index - 1])];
  const classes = [
    kind,
    token.special && "is-special",
    continuesWord(token, previous) && "is-joined",
    previous && token.segment !== previous.segment && !token.special && "starts-segment",
  ];
  return el("span", { class: classes.filter(Boolean).join(" "), ...attributes }, tokenName(token), ...behind);
}

/** The line runs as its text does. @param {HTMLElement} element @param {readonly Token[]} tokens */
export function directLine(element, tokens) {
  element.dir = direction(tokens);
}
