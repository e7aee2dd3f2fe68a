/** The pins of this browser: what is done to them, what was said of the last act, and the way back. */

import { KEYS } from "../../base/kept.js";
import { t } from "../../base/i18n.js";
import { createStore } from "../../base/store.js";
import { mergePins, movePin, readPins, withName, withNote, withPin, withoutPin, writePins } from "./pins.js";

/** @typedef {import("./pins.js").Pin} Pin */
/** @typedef {ReturnType<typeof createPinStore>} PinStore */

/** Of a file of pins. */
const MOST_BYTES = 4 * 2 ** 20;

export function createPinStore() {
  const store = createStore({
    pins: stored() ?? [],
    message: "",
    isKept: stored() !== null,
    before: /** @type {Pin[] | null} */ (null),
  });
  const pins = () => store.get().pins;

  /** @param {Pin[]} next @param {{message?: string, isUndoable?: boolean}} [how] */
  function keep(next, { message = "", isUndoable = false } = {}) {
    store.set({ pins: next, message, before: isUndoable ? pins() : null, isKept: put(next) });
  }

  /** @param {string} address */
  function remove(address) {
    keep(withoutPin(pins(), address), { message: t("The pin was removed."), isUndoable: true });
  }

  /** @param {string} address */
  const isPinned = (address) => pins().some((pin) => pin.address === address);

  return {
    get: store.get,
    subscribe: store.subscribe,
    /** @param {string} message */
    tell: (message) => store.set({ message }),
    /** Another tab of the Explorer may pin as well. */
    reload: () => store.set({ pins: stored() ?? [], before: null }),
    isPinned,
    /** Pins what is shown, or removes its pin. @param {{address: string, title: string}} shown */
    toggle(shown) {
      if (isPinned(shown.address)) return remove(shown.address);
      const pin = { ...shown, name: "", note: "", at: new Date().toISOString() };
      keep(withPin(pins(), pin), { message: t("Pinned.") });
    },
    remove,
    /** @param {string} address @param {string} name */
    name: (address, name) => keep(withName(pins(), address, name)),
    /** @param {string} address @param {string} note */
    note: (address, note) => keep(withNote(pins(), address, note)),
    /** @param {string} address @param {-1 | 1} by */
    move: (address, by) => keep(movePin(pins(), address, by)),
    undo: () => keep(store.get().before ?? pins()),
    clear: () => keep([], { message: t("All pins were removed."), isUndoable: true }),
    /** Adds those of a file. @param {File} file */
    async open(file) {
      const added = file.size <= MOST_BYTES ? readPins(await file.text()) : null;
      if (!added) return store.set({ message: t("{name} is not a file of pins.", { name: file.name }) });
      const merged = mergePins(pins(), added);
      const count = merged.length - pins().length;
      keep(merged, { message: t("Pins added: {count}", { count }), isUndoable: true });
    },
  };
}

/** @returns {Pin[] | null}  null where the browser stores nothing */
function stored() {
  try {
    return readPins(localStorage.getItem(KEYS.pins) ?? writePins([])) ?? [];
  } catch {
    return null;
  }
}

/** @param {Pin[]} pins @returns {boolean}  whether they are stored */
function put(pins) {
  try {
    localStorage.setItem(KEYS.pins, writePins(pins));
    return true;
  } catch {
    return false;
  }
}
