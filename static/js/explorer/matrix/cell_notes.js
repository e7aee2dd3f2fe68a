/** Notes on cells of the shown matrix: a numbered list below it, and elsewhere a field for the chosen cell. */

import { el, fill, keepingFocus, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { MOST_CHARACTERS } from "../state/figure_notes.js";

/** @typedef {import("../state/figure_notes.js").FigureNote} FigureNote */

/**
 * @typedef {object} CellNotesData
 * @property {{note: FigureNote, name: string}[]} notes  on this head, in their order; `name` is of the cell
 * @property {{query: number, key: number, name: string, text: string} | null} chosen  the cell that a note can be put on
 *
 * @typedef {object} CellNotesOptions
 * @property {HTMLElement} field  the place of the field
 * @property {(at: {query: number, key: number}, text: string) => void} onNote  "" removes it
 * @property {(at: {query: number, key: number}) => void} onPick
 */

/**
 * @param {HTMLElement} element
 * @param {CellNotesData} data
 * @param {CellNotesOptions} options
 * @returns {import("../../base/mount.js").View<CellNotesData>}
 */
export function cellNotesView(element, data, { field, onNote, onPick }) {
  const list = el("ol", { class: "cell-notes" });
  const name = el("span", { class: "cell-note-name" });
  const input = el("input", {
    type: "text",
    id: "cell-note",
    maxlength: MOST_CHARACTERS,
    placeholder: t("a note on this cell"),
    onchange: tell,
  });
  const label = el("label", { class: "cell-note-field" }, name, input);
  const hint = el(
    "p",
    { class: "note" },
    t("Choose a cell first. A note is drawn as a number in its cell, in the link and in images too."),
  );
  fill(element, list);
  fill(field, hint, label);
  let current = data;
  draw(data);

  function tell() {
    if (current.chosen) onNote(current.chosen, input.value);
  }

  /** @param {CellNotesData} next */
  function draw(next) {
    const { chosen, notes } = next;
    if (input !== input.ownerDocument.activeElement || !isSame(chosen, current.chosen))
      input.value = chosen?.text ?? "";
    current = next;
    label.hidden = chosen === null;
    hint.hidden = chosen !== null;
    name.textContent = chosen ? t("Note on {cell}", { cell: chosen.name }) : "";
    list.hidden = notes.length === 0;
    keepingFocus(element, () => fill(list, ...notes.map((one) => item(one, { onNote, onPick }))));
  }

  return {
    update: draw,
    destroy() {
      element.replaceChildren();
      field.replaceChildren();
    },
  };
}

/**
 * @param {CellNotesData["notes"][number]} one
 * @param {Pick<CellNotesOptions, "onNote" | "onPick">} options
 */
function item({ note, name: cell }, { onNote, onPick }) {
  const { query, key, text } = note;
  return el(
    "li",
    {},
    el("button", { type: "button", class: "cell-note-link", onclick: () => onPick({ query, key }) }, cell),
    el("span", {}, text),
    smallButton("×", () => onNote({ query, key }, ""), {
      class: "button is-icon is-small",
      "aria-label": t("Remove the note on {cell}", { cell }),
    }),
  );
}

/**
 * @param {CellNotesData["chosen"]} a
 * @param {CellNotesData["chosen"]} b
 */
function isSame(a, b) {
  return a?.query === b?.query && a?.key === b?.key;
}
