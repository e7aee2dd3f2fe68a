/** What a pin keeps of the view that is shown: its address, and what it is about; and the talk that pins make. */

import { need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { createNotesWindow } from "../pins/notes_window.js";
import { bindPins } from "../pins/pinning.js";
import { createTalk } from "../pins/talk.js";
import { titleOf } from "../pins/pins.js";
import { captionOf } from "../saving/captions.js";
import { talkFile } from "../saving/talk_file.js";
import { drawing, viewPicture } from "../saving/view_picture.js";
import { pageGround } from "../../base/theme/theme.js";
import { fit, partOf, sidesOf } from "../state/selection.js";
import { viewTopic } from "../state/view_names.js";
import { readState, writeState } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../state/view_state.js").ViewState} ViewState */

/**
 * @typedef {object} Shown
 * @property {import("../../base/store.js").Store<ViewState>} state
 * @property {Pick<import("../data/session.js").Session, "progress">} session
 * @property {() => ViewState} wanted  what is shown, or asked for
 * @property {(target: ViewState) => unknown} goTo
 * @property {() => void} onPins  they have come, or changed
 */

/**
 * @param {Document} root
 * @param {Shown} page
 */
export function bindPinnedView(root, page) {
  const { state, session, wanted, goTo, onPins } = page;
  const shown = () => {
    const { analysis } = session.progress.get();
    return analysis && pinOf(state.get(), analysis);
  };
  const { mark, pins } = bindPins(root, shown, { onChange: onPins, onPresent, slidesOf: createSlides(root, page) });
  const talk = createTalk({
    pins,
    isShown: (address) => placeOf(statesOf(address)) === placeOf(wanted()),
    go(address) {
      const { lang, theme } = state.get();
      goTo({ ...statesOf(address), lang, theme });
    },
  });
  const notes = createNotesWindow(root, {
    onKey(event) {
      const here = pressed(event);
      root.body.dispatchEvent(here);
      if (here.defaultPrevented) event.preventDefault();
    },
  });
  const slide = { now: talk.now, go: talk.go, openNotes };
  return { mark, talk: () => (pins().length > 0 ? slide : null), show: () => notes.show(talk.notes) };

  function openNotes() {
    if (notes.open()) notes.show(talk.notes);
  }

  function onPresent() {
    talk.go({ figure: 0, step: 1 });
    need(root, "#present").click();
  }
}

/**
 * Slides of pins, drawn one after the other on this page.
 * @param {Document} root
 * @param {Pick<Shown, "state" | "session" | "goTo">} page
 */
function createSlides(root, { state, session, goTo }) {
  return slidesOf;

  /**
   * Shows each pin as it is drawn, and then what was there before.
   * @param {import("../pins/pins.js").Pin[]} pins
   * @param {{onSlide: (done: number) => void, signal: AbortSignal}} how
   */
  async function slidesOf(pins, how) {
    const before = state.get();
    const slides = pins.map((pin) => ({
      title: titleOf(pin),
      described: pin.title,
      notes: pin.note,
      address: new URL(pin.address, location.href).href,
    }));
    try {
      return await talkFile(slides, { ...how, draw: ({ address }) => pictureOf(address, how.signal) });
    } finally {
      await goTo(before);
    }
  }

  /** @param {string} address @param {AbortSignal} signal */
  async function pictureOf(address, signal) {
    const { lang, theme } = state.get();
    await goTo({ ...statesOf(address), lang, theme });
    const { analysis, phase, error } = session.progress.get();
    if (phase === "failed" || !analysis) throw error ?? new Error(t("There is nothing to draw yet."));
    const { selector } = viewPicture({ ...state.get(), ...fit(analysis, state.get()) }, analysis, { isSlide: true });
    const isCurrent = () => session.progress.get().analysis === analysis;
    return drawing(root, selector, null, { ground: pageGround().color, isCurrent, signal });
  }
}

/** The same key as if it had been pressed on this page. @param {KeyboardEvent} event */
function pressed({ key, shiftKey }) {
  return new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true });
}

/** @param {string} address  of a pin */
function statesOf(address) {
  const { search, hash } = new URL(address, location.href);
  return readState({ search, hash });
}

/** What is shown, in whatever language and theme. @param {ViewState} value */
function placeOf(value) {
  return writeState({ ...value, lang: "", theme: "" });
}

/**
 * @param {ViewState} value
 * @param {Analysis} analysis
 */
function pinOf(value, analysis) {
  const fitted = { ...value, ...fit(analysis, value) };
  const part = partOf(analysis, fitted.part);
  const topic = viewTopic(fitted, part, sidesOf(analysis, part).queries);
  const { lang: _, ...rest } = value;
  return { address: writeState({ ...rest, lang: "" }), title: `${topic} · ${captionOf(fitted, analysis)}` };
}
