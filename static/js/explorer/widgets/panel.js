/** What every panel does: its parts stand in it while it is shown, and all that it draws and asks for ends with it. */

import { createAnalysisResource } from "../../requests/cached_resource.js";
import { el, fill } from "../../base/dom.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Bench} Bench */
/** @typedef {import("../../requests/request_scheduler.js").Failure} Failure */

/** Answers that a panel keeps, so that going back to one asks for nothing. */
const KEPT = 32;

/**
 * @param {HTMLElement} element
 * @param {object} parts
 * @param {Node[]} [parts.stands]  in the panel; none where the template has them
 * @param {Record<string, (data: null) => void> | ((data: null) => void)[]} parts.views
 * @param {{clear: () => void}[]} [parts.asks]  what is asked of the server, and what tells of its failures
 * @param {(scene: import("../../api/types.js").Scene) => void} parts.draw
 * @param {(at: import("../../api/types.js").Pointed) => void} [parts.point]
 * @param {() => void} [parts.forget]  what else was kept of what was drawn
 * @returns {import("../../api/types.js").Panel & {clear: () => void}}  `clear` takes away what is drawn, not its frame
 */
export function createPanel(element, { stands = [], views, asks = [], draw, point, forget }) {
  function clear() {
    for (const one of asks) one.clear();
    for (const show of Object.values(views)) show(null);
    forget?.();
  }

  return {
    show(scene) {
      if (stands[0]?.isConnected === false) fill(element, ...stands);
      draw(scene);
    },
    point,
    clear,
    hide() {
      clear();
      if (stands.length > 0) element.replaceChildren();
    },
  };
}

/**
 * Answers about the analysis that is shown.
 * @template Q, R
 * @param {Pick<Bench, "session" | "schedule">} bench
 * @param {string} lane
 * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
 * @param {{kept?: number, limit?: number | null}} [options]
 */
export function answersOf({ session, schedule }, lane, read, { kept = KEPT, ...options } = {}) {
  return createAnalysisResource(session, read, { lane, onChange: schedule, kept, ...options });
}

/**
 * The place where a panel says why something it asked for is not there.
 * @param {...{failure: () => Failure | null}} asks  the first that failed is told
 */
export function createProblem(...asks) {
  const box = el("div", { class: "failure" });
  const tell = mount(box, failureView, {});
  return {
    box,
    /** @returns {Failure | null}  what is told */
    show() {
      const failure = asks.map((one) => one.failure()).find((one) => one !== null) ?? null;
      tell(failure);
      return failure;
    },
    clear: () => tell(null),
  };
}
