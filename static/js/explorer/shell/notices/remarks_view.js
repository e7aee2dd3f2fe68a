/** Remarks on a map that could mislead; each can be dismissed. */

import { el, fill } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("./remarks.js").Remark} Remark */

/**
 * @param {HTMLElement} element
 * @param {{remarks: Remark[]}} data
 * @param {{onDismiss: (code: string) => void}} options
 * @returns {import("../../../base/mount.js").View<{remarks: Remark[]}>}
 */
export function remarksView(element, data, { onDismiss }) {
  let shown = "";

  /** @param {{remarks: Remark[]}} next */
  function draw({ remarks }) {
    const now = JSON.stringify(remarks);
    if (now === shown) return;
    shown = now;
    fill(element, ...remarks.map(line));
  }

  /** @param {Remark} remark */
  function line({ code, text }) {
    const close = el("button", { type: "button", class: "series-close", "aria-label": t("Dismiss this remark") }, "×");
    close.addEventListener("click", () => onDismiss(code));
    return el("div", { class: "is-remark" }, el("p", { class: "note" }, text), close);
  }

  return drawnView(element, data, draw);
}
