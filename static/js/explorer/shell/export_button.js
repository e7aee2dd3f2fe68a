/** The export button; the menu behind it is loaded when it is first opened. */

import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { failureView } from "../../page/failure.js";
import { unreachable } from "../widgets/late_panel.js";

/**
 * @param {Document} root
 * @param {(element: HTMLDetailsElement, exporting: typeof import("../saving/export.js")) => void} bind  fills the menu
 */
export function bindExportButton(root, bind) {
  const element = /** @type {HTMLDetailsElement | null} */ (root.querySelector("#export")); // not in a frame
  element?.addEventListener("toggle", () => void begin(element), { once: true });

  /** @param {HTMLDetailsElement} menu */
  async function begin(menu) {
    const [note, problem] = [el("p", { class: "note", role: "status" }, t("Loading …")), el("div")];
    const tell = mount(problem, failureView, {});
    fill(need(menu, ".export-panel"), note, problem);
    const exporting = await load().catch(() => null);
    if (exporting) return bind(menu, exporting);
    note.remove();
    tell(unreachable(() => void begin(menu)));
  }
}

const load = () => import("../saving/export.js");
