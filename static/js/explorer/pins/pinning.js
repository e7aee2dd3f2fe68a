/** Pinning: the button beside the heading, the list, the browser's storage and files. */

import { need } from "../../base/dom.js";
import { KEYS } from "../../base/kept.js";
import { t } from "../../base/i18n.js";
import { createStore } from "../../base/store.js";
import { mount } from "../../base/mount.js";
import { download } from "../../base/picture_files.js";
import { mergePins, movePin, readPins, withName, withNote, withPin, withoutPin, writePins } from "./pins.js";
import { pinsView } from "./pins_view.js";

/** @typedef {import("./pins.js").Pin} Pin */

const MOST_BYTES = 4 * 2 ** 20;

/**
 * @param {Document} root
 * @param {() => {address: string, title: string} | null} shown  what a press of the button pins
 * @param {object} options
 * @param {() => void} options.onChange
 * @param {() => void} options.onPresent  begins the talk
 * @param {(pins: Pin[], how: {onSlide: (done: number) => void, signal: AbortSignal}) => Promise<Blob>} options.slidesOf
 *   the talk as a PowerPoint file
 */
export function bindPins(root, shown, { onChange, onPresent, slidesOf }) {
  const button = /** @type {HTMLButtonElement} */ (need(root, "#pin"));
  const store = createStore({
    pins: stored() ?? [],
    message: "",
    isKept: stored() !== null,
    before: /** @type {Pin[] | null} */ (null),
    packing: /** @type {AbortController | null} */ (null),
  });
  /** @param {Pin[]} pins @param {{message?: string, isUndoable?: boolean}} [how] */
  const keep = (pins, { message = "", isUndoable = false } = {}) => {
    const before = isUndoable ? store.get().pins : null;
    store.set({ pins, message, before, isKept: put(pins) });
  };
  const show = mount(need(root, "#pin-list"), pinsView, {
    onRemove: (address) =>
      keep(withoutPin(store.get().pins, address), { message: t("The pin was removed."), isUndoable: true }),
    onName: (address, name) => keep(withName(store.get().pins, address, name)),
    onNote: (address, note) => keep(withNote(store.get().pins, address, note)),
    onMove: (address, by) => keep(movePin(store.get().pins, address, by)),
    onUndo: () => keep(store.get().before ?? store.get().pins),
    onSave: () => download(new Blob([writePins(store.get().pins)], { type: "application/json" }), "pins.json"),
    onOpen: (file) => void open(file),
    onClear: () => keep([], { message: t("All pins were removed."), isUndoable: true }),
    onPresent,
    onSlides: () => void pack(),
  });
  button.addEventListener("click", () => {
    const now = shown();
    if (!now) return;
    const { pins } = store.get();
    const isPinned = pins.some(({ address }) => address === now.address);
    if (isPinned) keep(withoutPin(pins, now.address), { message: t("The pin was removed."), isUndoable: true });
    else keep(withPin(pins, { ...now, name: "", note: "", at: new Date().toISOString() }), { message: t("Pinned.") });
  });
  // Another tab of the Explorer may pin as well.
  addEventListener("storage", ({ key }) => {
    if (key === KEYS.pins) store.set({ pins: stored() ?? [], before: null });
  });
  store.subscribe(draw);
  draw();

  /** @param {File} file */
  async function open(file) {
    const added = file.size <= MOST_BYTES ? readPins(await file.text()) : null;
    if (!added) {
      store.set({ message: t("{name} is not a file of pins.", { name: file.name }) });
      return;
    }
    const { pins } = store.get();
    const merged = mergePins(pins, added);
    keep(merged, { message: t("Pins added: {count}", { count: merged.length - pins.length }), isUndoable: true });
  }

  /** Or gives it up, where it is under way. */
  async function pack() {
    const { packing, pins } = store.get();
    if (packing) return packing.abort();
    const controller = new AbortController();
    const { signal } = controller;
    const onSlide = (/** @type {number} */ done) =>
      store.set({ message: t("Drawing slide {slide} of {count} …", { slide: done + 1, count: pins.length }) });
    store.set({ packing: controller });
    let message = "";
    try {
      download(await slidesOf(pins, { onSlide, signal }), "talk.pptx");
    } catch (error) {
      message = signal.aborted ? t("Cancelled.") : error instanceof Error ? error.message : String(error);
    }
    store.set({ packing: null, message });
  }

  function draw() {
    const { pins, message, isKept, before, packing } = store.get();
    show({ pins, message, isKept, canUndo: before !== null, isPacking: packing !== null });
    need(root, "#pin-count").textContent = pins.length > 0 ? String(pins.length) : "";
    mark();
    onChange();
  }

  function mark() {
    const now = shown();
    const isPinned = now !== null && store.get().pins.some(({ address }) => address === now.address);
    button.disabled = now === null;
    button.setAttribute("aria-pressed", String(isPinned));
  }

  return { mark, pins: () => store.get().pins };
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
