/** The list of pins: each opens what was pinned, has a title and a note, and can be moved and removed. */

import { el, fill, keepingFocus, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./pins.js").Pin} Pin */

/**
 * @typedef {object} PinsData
 * @property {Pin[]} pins
 * @property {boolean} canUndo
 * @property {string} message  of the last file or removal; "" for none
 * @property {boolean} isKept  whether the browser stores them
 * @property {boolean} isPacking  whether slides are being made of them
 *
 * @typedef {object} PinsOptions
 * @property {(address: string) => void} onRemove
 * @property {(address: string, name: string) => void} onName
 * @property {(address: string, note: string) => void} onNote
 * @property {(address: string, by: -1 | 1) => void} onMove
 * @property {() => void} onUndo
 * @property {() => void} onSave
 * @property {(file: File) => void} onOpen
 * @property {() => void} onClear
 * @property {() => void} onPresent
 * @property {() => void} onSlides
 */

/**
 * @param {HTMLElement} element
 * @param {PinsData} data
 * @param {PinsOptions} options
 * @returns {import("../../base/mount.js").View<PinsData>}
 */
export function pinsView(element, data, options) {
  const list = el("ol", { class: "pins" });
  const empty = el(
    "p",
    { class: "note" },
    t("Nothing is pinned yet. “Pin” beside the heading keeps what is shown, as a link with a note."),
  );
  const where = el("p", { class: "note" });
  const actions = createActions(options);
  fill(element, where, empty, list, ...actions.elements);

  /** @param {PinsData} next */
  function draw(next) {
    const { pins, isKept } = next;
    empty.hidden = pins.length > 0;
    where.textContent = isKept
      ? t("Kept in this browser only. A file takes them elsewhere.")
      : t("This browser stores nothing for this page: save them as a file before you leave.");
    actions.show(next);
    const known = new Map([...list.children].map((item) => [item.getAttribute("data-address"), item]));
    const items = pins.map((pin, index) => {
      const item = known.get(pin.address) ?? createItem(pin, options);
      updateItem(item, pin, { isFirst: index === 0, isLast: index === pins.length - 1 });
      return item;
    });
    // Moved in the document, a field would lose the focus at every letter typed into it.
    if (items.length === list.children.length && items.every((item, index) => item === list.children[index])) return;
    keepingFocus(element, () => fill(list, ...items));
  }

  return drawnView(element, data, draw);
}

/**
 * What can be done with all pins.
 * @param {PinsOptions} options
 */
function createActions({ onUndo, onSave, onOpen, onClear, onPresent, onSlides }) {
  const input = el("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    tabindex: -1,
    onchange() {
      const [file] = input.files ?? [];
      if (file) onOpen(file);
      input.value = "";
    },
  });
  const present = smallButton(t("Present them"), onPresent);
  const slides = smallButton("PowerPoint (.pptx)", onSlides);
  const save = smallButton(t("Save as a file"), onSave);
  const open = smallButton(t("Open a file"), () => input.click());
  const clear = smallButton(t("Remove all"), onClear);
  const undo = smallButton(t("Undo"), onUndo);
  const status = el("span", { class: "note", role: "status" });
  const row = el("div", { class: "pins-actions" }, present, slides, save, open, clear, undo, status);
  return {
    elements: [row, input],
    /** @param {PinsData} data */
    show({ pins, canUndo, message, isPacking }) {
      present.disabled = slides.disabled = save.disabled = clear.disabled = pins.length === 0;
      say(slides, isPacking ? t("Cancel") : "PowerPoint (.pptx)");
      undo.hidden = !canUndo;
      status.textContent = message;
    },
  };
}

/**
 * What is being typed into stays.
 * @param {Element} item
 * @param {Pin} pin
 * @param {{isFirst: boolean, isLast: boolean}} place
 */
function updateItem(item, pin, { isFirst, isLast }) {
  const [up, down] = item.querySelectorAll("button");
  up.disabled = isFirst;
  down.disabled = isLast;
  const name = /** @type {HTMLInputElement} */ (item.querySelector("input"));
  const note = /** @type {HTMLTextAreaElement} */ (item.querySelector("textarea"));
  const typed = item.ownerDocument.activeElement;
  if (name !== typed) name.value = pin.name;
  if (note !== typed) note.value = pin.note;
}

/**
 * @param {Pin} pin
 * @param {PinsOptions} options
 */
function createItem({ address, title, name, note, at }, { onRemove, onName, onNote, onMove }) {
  const day = at.slice(0, 10);
  const heading = el("input", {
    type: "text",
    class: "pin-name",
    dir: "auto",
    autocomplete: "off",
    "aria-label": t("Title of {what}", { what: title }),
    placeholder: t("Title of the slide"),
    oninput: () => onName(address, heading.value),
  });
  heading.value = name;
  const text = el("textarea", {
    rows: 2,
    dir: "auto",
    "aria-label": t("Note on {what}", { what: title }),
    placeholder: t("Note, also for the speaker"),
  });
  text.value = note;
  text.addEventListener("input", () => onNote(address, text.value));
  const icon = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {() => void} */ onclick) =>
    smallButton(sign, onclick, { class: "button is-icon is-small", "aria-label": name });
  return el(
    "li",
    { class: "pin", "data-address": address },
    el("a", { href: address }, title),
    day && el("time", { class: "note", datetime: at }, day),
    el(
      "span",
      { class: "pin-buttons" },
      icon("↑", t("Move up: {what}", { what: title }), () => onMove(address, -1)),
      icon("↓", t("Move down: {what}", { what: title }), () => onMove(address, 1)),
      icon("×", t("Remove: {what}", { what: title }), () => onRemove(address)),
    ),
    heading,
    text,
  );
}
