/** Tools in a page's header: theme, languages, and a link to copy. */

import { need } from "../base/dom.js";
import { createStore } from "../base/store.js";
import { takeEarlyChanges } from "../base/early_changes.js";
import { t } from "../base/i18n.js";
import { applyTheme, chosenTheme } from "../base/theme/theme.js";

const MESSAGE_MS = 4000;

/**
 * @template {import("../base/fields.js").CommonState} S
 * @param {Document} root
 * @param {{write: (state: Readonly<S>) => URLSearchParams}} page
 * @param {import("../base/store.js").Store<S>} state
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
 * The same on a page whose address holds nothing but language and theme. Calls back when the theme changes.
 * @param {Document} root
 * @param {(theme: import("../base/theme/theme.js").Theme) => void} [onTheme]
 */
export function bindPlainTools(root, onTheme = () => undefined) {
  /** @param {Readonly<import("../base/fields.js").CommonState>} value */
  const write = ({ lang, theme }) => new URLSearchParams({ ...(lang ? { lang } : {}), ...(theme ? { theme } : {}) });
  const changeAgain = takeEarlyChanges(root);
  const lang = new URLSearchParams(location.search).get("lang") ?? "";
  const state = createStore(
    /** @type {import("../base/fields.js").CommonState} */ ({ lang, theme: chosenTheme(), step: 1 }),
  );
  const tools = bindTools(root, { write }, state, (value) => `${location.pathname}?${write(value)}${location.hash}`);
  state.subscribe((value) => {
    applyTheme(value.theme);
    tools(value);
    onTheme(value.theme);
  });
  tools(state.get());
  changeAgain();
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

/**
 * Copies what an element shows, and says whether that was allowed.
 * @param {Element} code
 * @param {Element} status
 */
export async function copyCode(code, status) {
  const isCopied = await copy(code.textContent ?? "");
  status.textContent = isCopied ? t("Copied.") : t("Copying was not allowed: select the code.");
}
