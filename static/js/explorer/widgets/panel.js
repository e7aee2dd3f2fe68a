/** Base of every panel: its content is there while it is shown; its drawings and requests end with it. */

import { createAnalysisResource } from "../../requests/cached_resource.js";
import { el, fill } from "../../base/dom.js";
import { failureView } from "../../page/failure.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../../requests/request_scheduler.js").Failure} Failure */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Config
 * @property {string} lang
 * @property {Record<string, number>} limits
 * @property {boolean} embeddable  whether other sites may frame the pages
 * @property {string} [live]  in a file: where the server was from which it comes
 *
 * @typedef {{queries: readonly number[], keys: readonly number[]}} Selected  tokens selected in the query–key plane
 *
 * @typedef {object} Bench  what every panel is created with
 * @property {Document} root
 * @property {Config} config
 * @property {import("../../base/store.js").Store<ViewState>} state
 * @property {import("../../base/store.js").Store<Pointed>} pointed
 * @property {import("../../base/store.js").Store<Selected>} selected
 * @property {import("../data/session.js").Session} session
 * @property {import("../data/head_loader.js").HeadLoader} headLoader
 * @property {ReturnType<typeof import("../../charts/thumbnail_sheet.js").createPartMemory>} remember
 * @property {ReturnType<typeof import("../data/head_measures.js").createHeadMeasures>} measures
 * @property {() => void} schedule  requests a rendering
 *
 * @typedef {object} Scene  the data of one rendering, the same for every panel
 * @property {ViewState} value  limited to what the analysis has
 * @property {import("../../api/types.js").Analysis} analysis
 * @property {import("../../api/types.js").Part} part
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {string} name  of the chosen head
 * @property {import("../state/changes/changed_heads.js").ChangedHeads} changed  heads that are marked
 * @property {import("../data/head_measures.js").Measured} measured  the part with measures that need a run of their own
 * @property {Pointed} pointed
 * @property {ReturnType<typeof import("../../charts/heat_map/scales.js").createPalette>} palette
 *
 * @typedef {object} Panel  one view of the main panel, made of one or more views in its own element
 * @property {(scene: Scene) => void} show  called for every change while its tab is chosen
 * @property {(pointed: Pointed) => void} [point]  called while its tab is chosen when only this has changed
 * @property {() => void} hide  called when another tab is chosen: leaves nothing behind
 */

/** Answers that a panel keeps, so that going back needs no request. */
const KEPT = 32;

/**
 * @param {HTMLElement} element
 * @param {object} parts
 * @param {Node[]} [parts.stands]  in the panel; none where the template has them
 * @param {Record<string, (data: null) => void> | ((data: null) => void)[]} parts.views
 * @param {{clear: () => void}[]} [parts.asks]  server requests, and the notice of their failures
 * @param {(scene: Scene) => void} parts.draw
 * @param {(at: import("../../charts/heat_map/cells.js").Pointed) => void} [parts.point]
 * @param {() => void} [parts.forget]  drops anything else kept of what was drawn
 * @returns {Panel & {clear: () => void}}  `clear` takes away what is drawn, not its frame
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
 * Answers about the shown analysis.
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
 * The notice of a panel's failed requests.
 * @param {...{failure: () => Failure | null}} asks  the first failure is shown
 */
export function createProblem(...asks) {
  const box = el("div", { class: "failure" });
  const tell = mount(box, failureView, {});
  return {
    box,
    /** @returns {Failure | null}  the failure shown */
    show() {
      const failure = asks.map((one) => one.failure()).find((one) => one !== null) ?? null;
      tell(failure);
      return failure;
    },
    clear: () => tell(null),
  };
}
