/** Pinning: the button beside the heading, the list, and files of pins and slides. */

import { need } from "../../base/dom.js";
import { KEYS } from "../../base/kept.js";
import { t } from "../../base/i18n.js";
import { mount } from "../../base/mount.js";
import { download } from "../../base/picture_files.js";
import { createPinStore } from "./pin_store.js";
import { writePins } from "./pins.js";
import { pinsView } from "./pins_view.js";

/** @typedef {import("./pins.js").Pin} Pin */
/** @typedef {(pins: Pin[], how: {onSlide: (done: number) => void, signal: AbortSignal}) => Promise<Blob>} SlidesOf */

/**
 * @param {Document} root
 * @param {() => {address: string, title: string} | null} shown  what a press of the button pins
 * @param {object} options
 * @param {() => void} options.onChange
 * @param {() => void} options.onPresent  begins the talk
 * @param {SlidesOf} options.slidesOf  the talk as a PowerPoint file
 */
export function bindPins(root, shown, { onChange, onPresent, slidesOf }) {
  const button = /** @type {HTMLButtonElement} */ (need(root, "#pin"));
  const store = createPinStore();
  const slides = createSlides(store, slidesOf, draw);
  const show = mount(need(root, "#pin-list"), pinsView, {
    onRemove: store.remove,
    onName: store.name,
    onNote: store.note,
    onMove: store.move,
    onUndo: store.undo,
    onSave: () => download(new Blob([writePins(store.get().pins)], { type: "application/json" }), "pins.json"),
    onOpen: (file) => void store.open(file),
    onClear: store.clear,
    onPresent,
    onSlides: () => void slides.make(),
  });
  button.addEventListener("click", () => {
    const now = shown();
    if (now) store.toggle(now);
  });
  addEventListener("storage", ({ key }) => {
    if (key === KEYS.pins) store.reload();
  });
  store.subscribe(draw);
  draw();

  function draw() {
    const { pins, message, isKept, before } = store.get();
    show({ pins, message, isKept, canUndo: before !== null, isPacking: slides.isPacking() });
    need(root, "#pin-count").textContent = pins.length > 0 ? String(pins.length) : "";
    mark();
    onChange();
  }

  function mark() {
    const now = shown();
    button.disabled = now === null;
    button.setAttribute("aria-pressed", String(now !== null && store.isPinned(now.address)));
  }

  return { mark, pins: () => store.get().pins };
}

/**
 * Makes slides of all pins.
 * @param {import("./pin_store.js").PinStore} store
 * @param {SlidesOf} slidesOf
 * @param {() => void} onChange
 */
function createSlides(store, slidesOf, onChange) {
  /** @type {AbortController | null} */
  let packing = null;

  /** @param {AbortController} controller */
  async function pack(controller) {
    const { signal } = controller;
    const { pins } = store.get();
    const onSlide = (/** @type {number} */ done) =>
      store.tell(t("Drawing slide {slide} of {count} …", { slide: done + 1, count: pins.length }));
    try {
      download(await slidesOf(pins, { onSlide, signal }), "talk.pptx");
      return "";
    } catch (error) {
      return signal.aborted ? t("Cancelled.") : error instanceof Error ? error.message : String(error);
    }
  }

  return {
    isPacking: () => packing !== null,
    /** Or gives it up, where it is under way. */
    async make() {
      if (packing) return packing.abort();
      packing = new AbortController();
      onChange();
      const message = await pack(packing);
      packing = null;
      store.tell(message);
      onChange();
    },
  };
}
