/** Label the axes of a map: which is query, which is key, and what happens between them. */

import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @param {Node | string} verb
 * @param {string} [columns]
 */
export function axesLine(verb, columns = t("key →")) {
  return el(
    "p",
    { class: "axes" },
    el("span", { class: "is-query" }, t("query ↓")),
    verb,
    el("span", { class: "is-key" }, columns),
  );
}
