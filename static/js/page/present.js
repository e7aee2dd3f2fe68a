/**
 * Presentation mode: large type, only the chart and its numbers; keys go through presets and their steps, or through the
 * slides of a talk.
 */

import { el, need } from "../base/dom.js";
import { isFramed } from "./framed.js";
import { isInside } from "./frame_keys.js";
import { createPointerSpot } from "./pointer_spot.js";
import { t } from "../base/i18n.js";

/** @typedef {{figure: number | null, step: number}} Place  `null` leaves the figure as it is; steps count from 1 */

/**
 * @typedef {object} Standing  where one is
 * @property {{name: string, notice: string}[]} figures
 * @property {number} figure  −1 for one's own
 * @property {number} steps
 * @property {number} step  0 before the first, while the whole picture stands there
 * @property {boolean} [isTalk]  whether the figures are the slides of a talk, which begins with the first of them
 */

/**
 * @typedef {object} Deck  what is walked through
 * @property {() => Standing} now
 * @property {(place: Place) => void} go
 * @property {() => (() => void) | null} [notes]  what opens the speaker's notes; null where there are none
 */

const NAME = "present";
/** Storage key for switching the key P off. */
const STORAGE_KEY = "observatory-no-present-key";
/** Presenters' remote controls send PageUp and PageDown. */
const BY = /** @type {Record<string, 1 | -1>} */ ({ ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 });

/**
 * The step before or after; behind the last step stands the next figure, unless what is shown is one's own.
 * @param {Standing} standing
 * @param {1 | -1} by
 * @returns {Place | null}  null at the end
 */
export function neighbour(standing, by) {
  const step = standing.step + by;
  if (step >= 1 && step <= standing.steps) return { figure: null, step };
  const isAside = standing.figure < 0 && !(standing.isTalk && by > 0);
  return isAside ? null : nextFigure(standing, by, by > 0 ? 1 : standing.steps);
}

/**
 * Another figure, from one's own the first.
 * @param {Standing} standing
 * @param {1 | -1} by
 * @param {number} [step]
 * @returns {Place | null}
 */
export function nextFigure({ figures, figure }, by, step = 1) {
  const next = figure < 0 ? 0 : figure + by;
  return next < 0 || next >= figures.length ? null : { figure: next, step };
}

/**
 * The first or the last slide of a talk.
 * @param {Standing} standing
 * @param {string} key
 * @returns {Place | null}
 */
export function endOf({ figures, isTalk }, key) {
  if (!isTalk || (key !== "Home" && key !== "End")) return null;
  return { figure: key === "Home" ? 0 : figures.length - 1, step: 1 };
}

/** @returns {boolean} */
export function isPresenting() {
  return NAME in document.documentElement.dataset;
}

/**
 * The query of a page's address, which says whether it is presented.
 * @template {URLSearchParams} Q
 * @param {Q} query
 * @returns {Q}
 */
export function presented(query) {
  if (isPresenting()) query.set(NAME, "1");
  return query;
}

/**
 * Sets up the button, the keys and the bar. The address determines the initial mode.
 * @param {Document} root
 * @param {Deck} deck
 * @param {() => void} onChange  presenting began or ended
 * @returns {() => void}  shows where one is
 */
export function bindPresenting(root, deck, onChange) {
  const pointer = createPointerSpot(root);
  const bar = createBar(root, { move, leave, point, openNotes: () => deck.notes?.()?.() });
  const button = root.querySelector("#present");
  button?.removeAttribute("hidden");
  button?.addEventListener("click", enter);
  root.addEventListener("keydown", onKey);
  const key = isFramed(root) && !root.querySelector("#present-key") ? null : bindKeySwitch(root);
  if (new URLSearchParams(location.search).has(NAME)) show(true);

  /** @param {boolean} isOn */
  function show(isOn) {
    if (isOn) document.documentElement.dataset[NAME] = "";
    else delete document.documentElement.dataset[NAME];
    bar.element.hidden = !isOn;
    if (!isOn) point(false);
  }

  function point(isOn = !pointer.isOn()) {
    pointer.turn(isOn);
    bar.pointing(isOn);
  }

  function enter() {
    show(true);
    need(root, "main").focus({ preventScroll: true });
    scrollTo(0, 0);
    onChange();
  }

  function leave() {
    show(false);
    // On a narrow window the button is in a closed menu.
    const next = button?.checkVisibility() ? button : need(root, "main");
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    onChange();
  }

  /** @param {Place | null} place */
  function go(place) {
    if (place) deck.go(place);
    return place !== null;
  }

  /** @param {1 | -1} by */
  function move(by) {
    return go(neighbour(deck.now(), by));
  }

  /**
   * Letters that presenting has of its own; in a frame they are the deck's.
   * @param {string} letter
   * @returns {boolean}  whether it was one
   */
  function press(letter) {
    const openNotes = letter === "s" ? deck.notes?.() : null;
    if (letter === "p") point();
    else openNotes?.();
    return letter === "p" || Boolean(openNotes);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]");
    if (isPresenting()) {
      const by = BY[event.key];
      // In a frame, Escape and what lies behind the last step are the deck's.
      if (event.key === "Escape" && isInside()) return;
      if (event.key === "Escape") leave();
      else if (isTyping) return;
      else if (by === undefined) {
        const isLetter = key?.isOn() && !isInside() && press(event.key);
        if (!isLetter && !go(endOf(deck.now(), event.key))) return;
      } else if (!(event.shiftKey ? go(nextFigure(deck.now(), by)) : move(by)) && isInside()) return;
      event.preventDefault();
    } else if (event.key === "p" && key?.isOn() && !isTyping) {
      event.preventDefault();
      enter();
    }
  }

  return () => {
    if (isPresenting()) bar.say(deck.now(), Boolean(deck.notes?.()));
  };
}

/**
 * Whether the key P starts presenting; users of speech input can switch it off.
 * @param {Document} root
 */
function bindKeySwitch(root) {
  const box = /** @type {HTMLInputElement | null} */ (root.querySelector("#present-key"));
  let isOn = true;
  try {
    isOn = localStorage.getItem(STORAGE_KEY) === null;
  } catch {
    // Storage may be blocked; then the key works.
  }
  if (box) box.checked = isOn;
  box?.addEventListener("change", () => {
    isOn = box.checked;
    try {
      if (isOn) localStorage.removeItem(STORAGE_KEY);
      else localStorage.setItem(STORAGE_KEY, "1");
    } catch {
      // It holds for this visit.
    }
  });
  return { isOn: () => isOn };
}

/** @typedef {{figure: number, figures: number, step: number, steps: number}} Counts  the figure is 0 for one's own */

/** @param {Counts} counts */
function ofTalk(counts) {
  return counts.figure === 0 ? t("{figures} slides", counts) : `${counts.figure} / ${counts.figures}`;
}

/** @param {Counts} counts */
function ofFigures(counts) {
  return counts.figure === 0 ? t("{steps} steps", counts) : t("{figure} of {figures}, {steps} steps", counts);
}

/** @param {Counts} counts */
function ofSteps(counts) {
  return counts.figure === 0
    ? t("step {step} of {steps}", counts)
    : t("{figure} of {figures}, step {step} of {steps}", counts);
}

/**
 * @param {Document} root
 * @param {{move: (by: 1 | -1) => unknown, leave: () => void, point: () => void, openNotes: () => void}} options
 */
function createBar(root, { move, leave, point, openNotes }) {
  const name = el("strong", {});
  const notice = el("span", { class: "present-notice" });
  const place = el("span", { class: "present-place" });
  const back = button("‹", t("Back"), () => move(-1));
  const on = button("›", t("Next"), () => move(1));
  const out = button("×", t("Leave the presentation (Escape)"), leave);
  const notes = tool(t("Speaker notes"), () => openNotes());
  const pointer = tool(t("Pointer"), () => point());
  pointer.setAttribute("aria-pressed", "false");
  const says = el("p", { class: "present-says", role: "status" }, name, notice, place);
  const element = el("div", { class: "present-bar", hidden: true }, says, notes, pointer, back, on, out);
  root.body.append(element);
  let said = "";

  return {
    element,
    /** @param {boolean} isOn */
    pointing: (isOn) => pointer.setAttribute("aria-pressed", String(isOn)),
    /** @param {Standing} standing @param {boolean} hasNotes */
    say(standing, hasNotes) {
      const { figures, figure, steps, step, isTalk } = standing;
      notes.hidden = !hasNotes;
      /** @type {HTMLButtonElement} */ (back).disabled = neighbour(standing, -1) === null;
      /** @type {HTMLButtonElement} */ (on).disabled = neighbour(standing, 1) === null;
      const key = JSON.stringify([figure, figures.length, figures[figure]?.name, steps, step, isTalk]);
      if (key === said) return;
      said = key;
      name.textContent = figures[figure]?.name ?? "";
      notice.textContent = figures[figure]?.notice ?? "";
      const counts = { figure: figure + 1, figures: figures.length, step, steps };
      place.textContent = isTalk ? ofTalk(counts) : step === 0 ? ofFigures(counts) : ofSteps(counts);
    },
  };
}

/**
 * @param {string} sign
 * @param {string} name
 * @param {() => void} onclick
 */
function button(sign, name, onclick) {
  return el("button", { type: "button", class: "button is-icon", "aria-label": name, title: name, onclick }, sign);
}

/**
 * @param {string} name
 * @param {() => void} onclick
 */
function tool(name, onclick) {
  return el("button", { type: "button", class: "button present-tool", onclick }, name);
}
