/** Tools in a page's header: theme, languages, and a link to copy. */

import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

const MESSAGE_MS = 4000;

/**
 * @template {import("../../base/fields.js").CommonState} S
 * @param {Document} root
 * @param {{write: (state: Readonly<S>) => URLSearchParams}} page
 * @param {import("../../base/store.js").Store<S>} state
 * @param {(value: Readonly<S>) => string} address
 * @returns {(value: Readonly<S>) => void}
 */
export function bindTools(root, { write }, state, address) {
  const theme = /** @type {HTMLSelectElement} */ (need(root, "#theme"));
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (root.querySelectorAll("a[data-lang]"))];
  const status = need(root, "#share-status");
  theme.addEventListener("change", () => {
    state.set(/** @type {Partial<S>} */ ({ theme: theme.value }), "switch");
  });
  need(root, "#share").addEventListener("click", () => {
    const link = new URL(address(state.get()), location.href).href;
    void copy(link).then((isCopied) => {
      if (!isCopied) history.replaceState(null, "", link);
      status.textContent = isCopied
        ? t("Link copied.")
        : t("The browser does not allow copying; the address bar holds the link.");
      setTimeout(() => (status.textContent = ""), MESSAGE_MS);
    });
  });
  return (value) => {
    theme.value = value.theme;
    for (const link of links) link.search = String(write({ ...value, lang: link.dataset.lang ?? "" }));
  };
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the browser allowed it
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
