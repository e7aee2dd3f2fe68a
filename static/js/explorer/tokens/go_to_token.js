/** Search field for a token by number or text; Enter again goes to the next match. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} GoToData
 * @property {Token[]} tokens
 * @property {number | null} query
 * @property {0 | 1} numbering
 */

/**
 * @param {HTMLElement} element
 * @param {GoToData} data
 * @param {{onPick: (token: number) => void}} options
 * @returns {import("../../base/mount.js").View<GoToData>}
 */
export function goToTokenView(element, data, { onPick }) {
  const input = el("input", {
    type: "search",
    id: "go-to-token",
    class: "go-to-input",
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "go",
    dir: "auto",
  });
  const note = el("span", { class: "note", role: "status" });
  const form = el("form", { class: "go-to", role: "search", onsubmit: go }, label(), input, note);
  let current = data;
  fill(element, form);

  function label() {
    return el("label", { for: "go-to-token" }, t("Go to token"));
  }

  /** @param {Event} event */
  function go(event) {
    event.preventDefault();
    const { tokens, query, numbering } = current;
    const index = findToken(tokens, input.value, { from: query ?? -1, numbering });
    const isEmpty = input.value.trim() === "";
    note.textContent = index === null && !isEmpty ? t("No token holds “{text}”.", { text: input.value.trim() }) : "";
    if (index !== null) onPick(index);
  }

  return {
    update(next) {
      if (next.tokens !== current.tokens) note.textContent = "";
      current = next;
    },
    destroy() {
      element.replaceChildren();
    },
  };
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
