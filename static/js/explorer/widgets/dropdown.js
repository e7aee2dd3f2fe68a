/** Menus that open below their button: a `<details>` over the page, closed by Escape or a click elsewhere. */

import { need } from "../../base/dom.js";

/**
 * @param {Document} root
 */
export function bindDropdowns(root) {
  for (const menu of root.querySelectorAll("details.dropdown")) {
    const details = /** @type {HTMLDetailsElement} */ (menu);
    bindClosing(details);
    // Something in it that is opened for the reader, such as the field for a file that was dropped, is to be seen.
    const reveal = (/** @type {Event} */ { target }) => {
      if (target instanceof HTMLDetailsElement && target !== details && target.open) details.open = true;
    };
    details.addEventListener("toggle", reveal, { capture: true });
    details.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest(".preset, [aria-controls]")) details.open = false;
    });
  }
}

/**
 * Escape or a click elsewhere closes the menu.
 * @param {HTMLDetailsElement} details
 * @returns {() => void}  stops it
 */
export function bindClosing(details) {
  const listening = new AbortController();
  const { signal } = listening;
  details.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !details.open) return;
      event.preventDefault();
      event.stopPropagation();
      details.open = false;
      need(details, "summary").focus();
    },
    { signal },
  );
  document.addEventListener(
    "pointerdown",
    ({ target }) => {
      if (target instanceof Node && !details.contains(target)) details.open = false;
    },
    { signal },
  );
  return () => listening.abort();
}
