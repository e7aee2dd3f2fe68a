/**
 * The browser's history of the Explorer: the address follows the state; a draft is kept beside it in the history entry.
 */

import { bindHistory } from "../../page/history.js";
import { isPresenting } from "../../page/present.js";
import { readState, writeState } from "../state/view_state.js";

/** @typedef {import("../state/view_state.js").ViewState} ViewState */
/** @typedef {import("../state/draft.js").Waiting} Waiting */

/**
 * @param {import("../../base/store.js").Store<ViewState>} state
 * @param {import("../state/draft.js").DraftStore} draftStore
 * @param {import("../data/session.js").Session} session
 * @param {(state: ViewState, left: Partial<Waiting>) => void} onReturn
 */
export function bindExplorerHistory(state, draftStore, session, onReturn) {
  const beside = () => (Object.keys(draftStore.waiting().draft).length > 0 ? draftStore.waiting() : null);
  const page = { read: () => readState(location), address, beside };
  const follow = bindHistory(
    state,
    (value, left) => onReturn(value, /** @type {Partial<Waiting>} */ (left ?? {})),
    page,
  );
  draftStore.subscribe((_value, _changed, origin) => follow(origin));
  session.progress.subscribe(({ phase, analysis }, changed) => {
    // Back has led to what cannot be had: the address says again what is shown.
    const isMissing = phase === "failed" || phase === "waiting";
    if (changed.has("phase") && isMissing && analysis) follow("settle");
  });
}

/**
 * @param {ViewState} state
 * @returns {string}
 */
export function address(state) {
  const written = writeState(state);
  return location.pathname + (isPresenting() ? written.replace("?", "?present=1&") : written);
}
