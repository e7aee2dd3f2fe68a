/** The list of pins: each opens what was pinned, holds a note, and can be moved and removed. */

import { el, fill, keepingFocus } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./pins.js").Pin} Pin */

/**
 * @typedef {object} PinsData
 * @property {Pin[]} pins
 * @property {boolean} canUndo
 * @property {string} message  of the last file or removal; "" for none
 * @property {boolean} isKept  whether the browser stores them
 *
 * @typedef {object} PinsOptions
 * @property {(address: string) => void} onRemove
 * @property {(address: string, note: string) => void} onNote
 * @property {(address: string, by: -1 | 1) => void} onMove
 * @property {() => void} onUndo
 * @property {() => void} onSave
 * @property {(file: File) => void} onOpen
 * @property {() => void} onClear
 */

/**
 * @param {HTMLElement} element
 * @param {PinsData} data
 * @param {PinsOptions} options
 * @returns {import("../../base/mount.js").View<PinsData>}
 */
export function pinsView(element, data, options) {
  const { onUndo, onSave, onOpen, onClear } = options;
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
  const save = button(t("Save as a file"), onSave);
  const clear = button(t("Remove all"), onClear);
  const undo = button(t("Undo"), onUndo);
  const status = el("span", { class: "note", role: "status" });
  const where = el("p", { class: "note" });
  const row = el(
    "div",
    { class: "pins-actions" },
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
  function draw({ pins, canUndo, message, isKept }) {
    empty.hidden = pins.length > 0;
    where.textContent = isKept
      ? t("Kept in this browser only. A file takes them elsewhere.")
      : t("This browser stores nothing for this page: save them as a file before you leave.");
    save.disabled = clear.disabled = pins.length === 0;
    undo.hidden = !canUndo;
    status.textContent = message;
    const known = new Map([...list.children].map((item) => [item.getAttribute("data-address"), item]));
    keepingFocus(element, () => fill(list, ...pins.map((pin, index) => itemOf(pin, index, pins.length, known))));
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
    const note = /** @type {HTMLTextAreaElement} */ (item.querySelector("textarea"));
    if (note !== note.ownerDocument.activeElement) note.value = pin.note;
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
function createItem({ address, title, note, at }, { onRemove, onNote, onMove }) {
  const day = at.slice(0, 10);
  const text = el("textarea", {
    rows: 2,
    dir: "auto",
    "aria-label": t("Note on {what}", { what: title }),
    placeholder: t("Note"),
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
    text,
  );
}
