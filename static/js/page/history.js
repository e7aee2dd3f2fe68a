/**
 * Keeps the address bar up to date: choices create history entries, typing and dragging rewrite the last one.
 */

import { createKeeping } from "./frame_state.js";
import { isFramed } from "./framed.js";
import { isInside } from "./framed.js";

/** Origins of a change that rewrite the entry; the first of a run of changes makes one, so that Back undoes them all. */
const CONTINUOUS = new Set(["type", "move"]);
/** Browsers refuse more than about 100 rewrites in 30 seconds. */
const REWRITE_EVERY = 400;

/**
 * @template {object} S
 * @typedef {object} HistoryPage
 * @property {() => S} read
 * @property {(state: Readonly<S>) => string} address
 * @property {() => unknown} [beside]  data of an entry beyond its address
 */

/**
 * @template {object} S
 * @param {import("../base/store.js").Store<S>} state
 * @param {(state: S, beside: unknown) => void} onReturn  after Back or Forward
 * @param {HistoryPage<S>} page
 * @returns {(origin: string) => void}  writes what is beside the state, which has changed
 */
export function bindHistory(state, onReturn, page) {
  // The way back belongs to the page around the frame.
  if (isInside()) return followInFrame(state, page);
  if (isFramed(document)) return () => undefined;
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
 * @template {object} S
 * @param {import("../base/store.js").Store<S>} state
 * @param {HistoryPage<S>} page
 */
function followInFrame(state, page) {
  const keep = createKeeping();
  state.subscribe((value) => keep(page.address(value)));
  return () => undefined;
}
