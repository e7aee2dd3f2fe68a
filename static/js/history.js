/** The address bar follows the state: picks make entries to go back to, what is typed or dragged rewrites the last one. */

import { isFramed } from "./framed.js";
import { isPresenting } from "./present.js";
import { readState, writeState } from "./url.js";

/** @typedef {import("./types.js").ViewState} ViewState */

/** Origins of a change that rewrite the entry; the first of a run of changes makes one, so that Back undoes them all. */
const CONTINUOUS = new Set(["type", "move"]);
/** Browsers refuse more than about 100 rewrites in 30 seconds. */
const REWRITE_EVERY = 400;

/** The Explorer's own way of writing its state. */
const EXPLORER = { read: () => readState(location), address };

/**
 * @template {object} S
 * @param {import("./store.js").Store<S>} state
 * @param {(state: S) => void} onReturn  after Back or Forward
 * @param {{read: () => S, address: (state: Readonly<S>) => string}} [page]
 */
export function bindHistory(state, onReturn, page = /** @type {any} */ (EXPLORER)) {
  if (isFramed(document)) return; // the way back belongs to the page around the frame
  let last = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  state.subscribe((value, _changed, origin) => {
    clearTimeout(timer);
    const isContinued = CONTINUOUS.has(origin) && last === origin;
    const isPush = !isContinued && (origin === "pick" || CONTINUOUS.has(origin));
    last = origin === "settle" ? last : origin;
    if (origin === "return") return;
    const write = () => history[isPush ? "pushState" : "replaceState"](null, "", page.address(value));
    if (isContinued) timer = setTimeout(write, REWRITE_EVERY);
    else write();
  });
  addEventListener("popstate", () => {
    clearTimeout(timer);
    last = "";
    const returned = page.read();
    state.set(returned, "return");
    onReturn(returned);
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
