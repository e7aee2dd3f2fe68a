/** The list of pins: each opens what was pinned, has a title and a note, and can be moved and removed. */

import { el, fill, keepingFocus, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

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
  const { onUndo, onSave, onOpen, onClear, onPresent, onSlides } = options;
  const list = el("ol", { class: "pins" });
  const empty = el(
    "p",
    { class: "note" },
    t("Nothing is pinned yet. “Pin” beside the heading keeps what is shown, as a link with a note."),
  );
  const input = el("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    tabindex: -1,
    onchange: open,
  });
  const button = (/** @type {string} */ name, /** @type {() => void} */ onclick) =>
    el("button", { type: "button", class: "button is-small", onclick }, name);
  const present = button(t("Present them"), onPresent);
  const slides = button("PowerPoint (.pptx)", onSlides);
  const save = button(t("Save as a file"), onSave);
  const clear = button(t("Remove all"), onClear);
  const undo = button(t("Undo"), onUndo);
  const status = el("span", { class: "note", role: "status" });
  const where = el("p", { class: "note" });
  const row = el(
    "div",
    { class: "pins-actions" },
    present,
    slides,
    save,
    button(t("Open a file"), () => input.click()),
    clear,
    undo,
    status,
  );
  fill(element, where, empty, list, row, input);
  draw(data);

  function open() {
    const [file] = input.files ?? [];
    if (file) onOpen(file);
    input.value = "";
  }

  /** @param {PinsData} next */
  function draw({ pins, canUndo, message, isKept, isPacking }) {
    empty.hidden = pins.length > 0;
    where.textContent = isKept
      ? t("Kept in this browser only. A file takes them elsewhere.")
      : t("This browser stores nothing for this page: save them as a file before you leave.");
    present.disabled = slides.disabled = save.disabled = clear.disabled = pins.length === 0;
    say(slides, isPacking ? t("Cancel") : "PowerPoint (.pptx)");
    undo.hidden = !canUndo;
    status.textContent = message;
    const known = new Map([...list.children].map((item) => [item.getAttribute("data-address"), item]));
    const items = pins.map((pin, index) => itemOf(pin, index, pins.length, known));
    // Moved in the document, a field would lose the focus at every letter typed into it.
    if (items.length === list.children.length && items.every((item, index) => item === list.children[index])) return;
    keepingFocus(element, () => fill(list, ...items));
  }

  /**
   * What is being typed into stays.
   * @param {Pin} pin
   * @param {number} index
   * @param {number} count
   * @param {Map<string | null, Element>} known
   */
  function itemOf(pin, index, count, known) {
    const item = known.get(pin.address) ?? createItem(pin, options);
    const [up, down] = item.querySelectorAll("button");
    up.disabled = index === 0;
    down.disabled = index === count - 1;
    const name = /** @type {HTMLInputElement} */ (item.querySelector("input"));
    const note = /** @type {HTMLTextAreaElement} */ (item.querySelector("textarea"));
    const typed = item.ownerDocument.activeElement;
    if (name !== typed) name.value = pin.name;
    if (note !== typed) note.value = pin.note;
    return item;
  }

  return {
    update: draw,
    destroy() {
      element.replaceChildren();
    },
  };
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
    el("button", { type: "button", class: "button is-icon is-small", "aria-label": name, onclick }, sign);
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
