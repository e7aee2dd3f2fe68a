/** What a pin keeps of the view that is shown: its address, and what it is about; and the talk that pins make. */

import { need } from "../../base/dom.js";
import { createNotesWindow } from "../pins/notes_window.js";
import { bindPins } from "../pins/pinning.js";
import { createTalk } from "../pins/talk.js";
import { captionOf } from "../saving/captions.js";
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
export function bindPinnedView(root, { state, session, wanted, goTo, onPins }) {
  const shown = () => {
    const { analysis } = session.progress.get();
    return analysis && pinOf(state.get(), analysis);
  };
  const { mark, pins } = bindPins(root, shown, { onChange: onPins, onPresent });
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
