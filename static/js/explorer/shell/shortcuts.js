/** The list of shortcuts: a dialog that its button or the key “?” opens. */

import { need } from "../../base/dom.js";

const FIELDS = "input, textarea, select, [contenteditable]";

/**
 * @param {Document} root
 */
export function bindShortcuts(root) {
  const button = need(root, "#shortcuts");
  /** @type {HTMLDialogElement | null} */
  let dialog = null;

  async function open() {
    const module = await load().catch(() => null);
    if (!module) return;
    dialog ??= module.createDialog(button);
    if (!dialog.open) dialog.showModal();
  }

  button.addEventListener("click", () => void open());
  root.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (key !== "?" || ctrlKey || metaKey || altKey || (target instanceof Element && target.matches(FIELDS))) return;
    event.preventDefault();
    void open();
  });
}

const load = () => import("./shortcuts_dialog.js");
