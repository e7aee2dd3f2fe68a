/**
 * The address bar follows what is shown: picks make entries to go back to, what is typed or dragged rewrites the last one.
 * What is wanted and not shown yet is no part of an address; the entry holds it beside.
 */

import { isFramed } from "./framed.js";
import { isPresenting } from "./present.js";
import { readState, writeState } from "./url.js";

/** @typedef {import("./types.js").ViewState} ViewState */
/** @typedef {import("./wanted.js").Waiting} Waiting */

/** Origins of a change that rewrite the entry; the first of a run of changes makes one, so that Back undoes them all. */
const CONTINUOUS = new Set(["type", "move"]);
/** Browsers refuse more than about 100 rewrites in 30 seconds. */
const REWRITE_EVERY = 400;

/**
 * @template {object} S
 * @typedef {object} HistoryPage
 * @property {() => S} read
 * @property {(state: Readonly<S>) => string} address
 * @property {() => unknown} [beside]  what an entry holds that its address does not say
 */

/**
 * @template {object} S
 * @param {import("./store.js").Store<S>} state
 * @param {(state: S, beside: unknown) => void} onReturn  after Back or Forward
 * @param {HistoryPage<S>} page
 * @returns {(origin: string) => void}  writes what is beside the state, which has changed
 */
export function bindHistory(state, onReturn, page) {
  if (isFramed(document)) return () => undefined; // the way back belongs to the page around the frame
  let last = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** Whether the entry that is about to be written is a new one; null: none is. @type {boolean | null} */
  let due = null;
  state.subscribe((_value, _changed, origin) => follow(origin));
  addEventListener("popstate", (event) => {
    clearTimeout(timer);
    last = "";
    onReturn(page.read(), event.state);
  });
  return follow;

  /** @param {string} origin */
  function follow(origin) {
    clearTimeout(timer);
    const isContinued = CONTINUOUS.has(origin) && last === origin;
    const isPush = !isContinued && (origin === "pick" || CONTINUOUS.has(origin));
    last = origin === "settle" ? last : origin;
    if (origin === "return") return;
    if (isContinued) {
      timer = setTimeout(write, REWRITE_EVERY);
      return;
    }
    if (isPush && due) write();
    else if (due === null) queueMicrotask(() => due !== null && write()); // what changes together is written once
    due ||= isPush;
  }

  function write() {
    history[due ? "pushState" : "replaceState"](page.beside?.() ?? null, "", page.address(state.get()));
    due = null;
  }
}

/**
 * The Explorer's history.
 * @param {import("./store.js").Store<ViewState>} state
 * @param {import("./wanted.js").Wanted} wanted
 * @param {import("./session.js").Session} session
 * @param {(state: ViewState, left: Partial<Waiting>) => void} onReturn
 */
export function bindExplorerHistory(state, wanted, session, onReturn) {
  const beside = () => (Object.keys(wanted.waiting().draft).length > 0 ? wanted.waiting() : null);
  const page = { read: () => readState(location), address, beside };
  const follow = bindHistory(
    state,
    (value, left) => onReturn(value, /** @type {Partial<Waiting>} */ (left ?? {})),
    page,
  );
  wanted.subscribe((_value, _changed, origin) => follow(origin));
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
