/**
 * The draft: input and choices that are not shown yet, because they were only typed, are being computed or were
 * refused. The state is what is shown; it changes in one step when the answer arrives.
 */

import { createStore } from "../../base/store.js";

/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("./view_state.js").ViewState} ViewState */
/** @typedef {Partial<ViewState>} Draft  what differs from the state */

/**
 * @typedef {object} Waiting
 * @property {Draft} draft
 * @property {boolean} isSent  whether it was requested, rather than only typed
 */

/** @typedef {ReturnType<typeof createDraftStore>} DraftStore */

/**
 * @param {import("../../base/store.js").Store<ViewState>} state  what is shown
 * @param {Partial<Waiting> | null} [left]  from an entry of the browser's history
 */
export function createDraftStore(state, left) {
  const store = createStore(/** @type {Waiting} */ ({ draft: left?.draft ?? {}, isSent: left?.isSent ?? false }));

  return {
    subscribe: store.subscribe,
    waiting: store.get,
    /** The state with the draft applied. */
    get: () => /** @type {ViewState} */ ({ ...state.get(), ...store.get().draft }),
    /**
     * Adds to the draft.
     * @param {Draft} patch
     * @param {string} origin
     */
    put(patch, origin) {
      const draft = { ...store.get().draft, ...patch };
      if (differs(draft, store.get().draft)) store.set({ draft, isSent: false }, origin);
    },
    /**
     * Replaces the draft.
     * @param {Draft} draft
     * @param {string} origin
     */
    replace(draft, origin) {
      if (differs(draft, store.get().draft)) store.set({ draft, isSent: false }, origin);
    },
    /** @param {boolean} isSent */
    send: (isSent) => store.set({ isSent }, "settle"),
    /**
     * Removes what has been answered; what was typed meanwhile stays.
     * @param {Draft} asked
     */
    arrive: (asked) => store.set({ draft: without(store.get().draft, asked), isSent: false }, "shown"),
  };
}

/**
 * @param {Draft} draft
 * @param {Draft} asked
 * @returns {Draft}
 */
function without(draft, asked) {
  const names = /** @type {(keyof ViewState)[]} */ (Object.keys(draft));
  const left = names.filter((name) => !(name in asked && Object.is(draft[name], asked[name])));
  return Object.fromEntries(left.map((name) => [name, draft[name]]));
}

/**
 * @param {Draft} a
 * @param {Draft} b
 */
function differs(a, b) {
  return Object.keys({ ...a, ...b }).some((name) => {
    const key = /** @type {keyof ViewState} */ (name);
    return !(key in a && key in b) || !Object.is(a[key], b[key]);
  });
}

/**
 * Compares field by field: it runs at every change, and texts are long.
 * @param {AnalysisRequest} a
 * @param {AnalysisRequest} b
 */
export function isSame(a, b) {
  const names = /** @type {(keyof AnalysisRequest)[]} */ (Object.keys(a));
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/**
 * @param {ViewState} state
 * @returns {AnalysisRequest}
 */
export function requestOf({ model, text, pair, target, chat, system, picture, changes, baseline }) {
  const said = picture.startsWith("sound-") && target ? { target_text: target } : {};
  if (picture) return { model, text: "", picture, ...said, ...(changes && !baseline && { changes }) };
  const asChat = chat ? { chat, ...(system && { system_text: system }) } : {};
  const texts = { text, ...(pair && { text_pair: pair }), ...(target && { target_text: target }), ...asChat };
  return { model, ...texts, ...(changes && !baseline && { changes }) };
}
