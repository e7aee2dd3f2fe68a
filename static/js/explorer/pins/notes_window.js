/** Speaker notes: a second window beside the slides, with the notes of this one, the next title and a clock. */

import { el, fill, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./talk.js").SpeakerNotes} SpeakerNotes */

/** The same window again when it is asked for twice, and after the page was loaded anew. */
const NAME = "observatory-notes";
const SIZE = "popup,width=960,height=640";
const SECOND = 1_000;

/**
 * @param {Document} root
 * @param {{onKey: (event: KeyboardEvent) => void}} options  keys pressed there lead the talk, too
 */
export function createNotesWindow(root, { onKey }) {
  /** @type {{page: Window, show: (notes: SpeakerNotes) => void} | null} */
  let opened = null;
  // Without the page that leads it, it would say what is no longer shown.
  addEventListener("pagehide", () => opened?.page.close());

  return {
    /** @returns {boolean}  false where the browser lets no window be opened */
    open() {
      if (opened && !opened.page.closed) {
        opened.page.focus();
        return true;
      }
      const page = globalThis.open("", NAME, SIZE);
      if (!page) return false;
      opened = { page, show: lay(root, page, onKey) };
      return true;
    },
    /** @param {() => SpeakerNotes} notes  asked for while the window is open */
    show(notes) {
      if (opened && !opened.page.closed) opened.show(notes());
    },
  };
}

/**
 * @param {Document} root
 * @param {Window} page
 * @param {(event: KeyboardEvent) => void} onKey
 */
function lay(root, page, onKey) {
  const { document: own } = page;
  const { lang, dataset } = root.documentElement;
  // An empty window has no document type, and some browsers replace its document later.
  own.open();
  own.write("<!doctype html>");
  own.close();
  own.title = t("{page} · Attention Observatory", { page: t("Speaker notes") });
  own.documentElement.lang = lang;
  if (dataset.theme) own.documentElement.dataset.theme = dataset.theme;
  const sheets = [...root.querySelectorAll("link[rel=stylesheet]")].map((sheet) => {
    const copy = el("link", { rel: "stylesheet" });
    copy.href = /** @type {HTMLLinkElement} */ (sheet).href;
    return copy;
  });
  own.head.replaceChildren(...sheets);
  own.addEventListener("keydown", onKey);
  const main = el("main", { class: "speaker-notes" });
  own.body.replaceChildren(main);
  return notesView(main, page);
}

/**
 * @param {HTMLElement} element
 * @param {Window} page
 * @returns {(notes: SpeakerNotes) => void}
 */
function notesView(element, page) {
  const place = el("span", { class: "speaker-place" });
  const clock = el("span", { class: "speaker-clock", role: "timer", "aria-label": t("Time elapsed") });
  const again = smallButton(t("Start the clock anew"), start);
  const title = el("h1", { class: "speaker-title" });
  const note = el("p", { class: "speaker-note", dir: "auto", "aria-live": "polite" });
  const next = el("p", { class: "speaker-next" });
  let began = Date.now();
  fill(element, el("div", { class: "speaker-head" }, place, clock, again), title, note, next);
  page.setInterval(tick, SECOND);
  tick();

  function start() {
    began = Date.now();
    tick();
  }

  function tick() {
    clock.textContent = elapsed(Date.now() - began);
  }

  return ({ slide, slides, title: name, note: text, next: following }) => {
    say(place, `${slide} / ${slides}`);
    say(title, name || t("Before the first slide"));
    say(note, text || (name ? t("No notes on this slide.") : ""));
    note.classList.toggle("is-empty", text === "");
    say(next, following ? t("Next: {title}", { title: following }) : t("This is the last slide."));
  };
}

/**
 * @param {number} milliseconds
 * @returns {string}  such as 4:07, or 1:04:07
 */
export function elapsed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / SECOND));
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
