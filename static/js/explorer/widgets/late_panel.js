/** A panel whose modules are loaded when its tab is first chosen, or earlier, once the page is idle. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { failureView } from "../../page/failure.js";

/** @typedef {import("./panel.js").Bench} Bench */
/** @typedef {import("./panel.js").Panel} Panel */
/** @typedef {import("./panel.js").Scene} Scene */
/** @typedef {(element: HTMLElement, bench: Bench) => Panel} PanelMaker */
/** @typedef {PanelMaker & {prepare: () => void}} LatePanelMaker  `prepare` loads the modules ahead */

/** Milliseconds before words say that a view is loading: most are there at once. */
const PATIENCE = 100;

/**
 * @template M
 * @param {() => Promise<M>} load
 * @param {(module: M) => PanelMaker} pick
 * @returns {LatePanelMaker}
 */
export function latePanel(load, pick) {
  /** @type {PanelMaker} */
  const make = (element, bench) => {
    const [note, problem] = [el("p", { class: "note", role: "status" }), el("div", { class: "failure" })];
    const place = el("div", { class: "matrix-waiting" }, note);
    const tell = mount(problem, failureView, {});
    /** @type {Panel | null} */
    let panel = null;
    let isShown = false;
    let isLoading = false;

    async function begin() {
      if (isLoading) return;
      isLoading = true;
      element.setAttribute("aria-busy", "true");
      const timer = setTimeout(() => (note.textContent = t("Loading this view …")), PATIENCE);
      const module = await load().catch(() => null);
      clearTimeout(timer);
      note.textContent = "";
      isLoading = false;
      element.removeAttribute("aria-busy");
      if (module) {
        tell(null);
        place.remove();
        panel = pick(module)(element, bench);
        bench.schedule();
      } else if (isShown) {
        place.hidden = true;
        tell(unreachable(() => void begin()));
      }
    }

    return {
      show(scene) {
        isShown = true;
        if (panel) return panel.show(scene);
        if (place.isConnected) return;
        place.hidden = false;
        fill(element, place, problem);
        void begin();
      },
      point: (pointed) => panel?.point?.(pointed),
      hide() {
        isShown = false;
        if (panel) return panel.hide();
        tell(null);
        element.replaceChildren();
      },
    };
  };
  return Object.assign(make, { prepare: () => void load().catch(() => {}) });
}

/**
 * What is said when modules could not be loaded.
 * @param {() => void} retry
 * @returns {import("../../requests/request_scheduler.js").Failure}
 */
export function unreachable(retry) {
  const error = new Error(t("This part of the page could not be loaded: the server cannot be reached."));
  return { kind: "failed", error, isTrying: false, retryAt: null, canRetry: true, retry };
}
