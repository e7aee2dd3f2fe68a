/** Search field for a token by number or text; Enter again goes to the next match. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { findToken } from "./strip_window.js";

/**
 * @typedef {object} GoToData
 * @property {import("../../api/types.js").Token[]} tokens
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
