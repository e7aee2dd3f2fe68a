/** The banner over the picture of a changed model: what is changed, one by one, and the way back. */

import { withoutChange } from "../state/changes.js";
import { changeName, placeName } from "../state/change_names.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../state/changes.js").Change} Change */

/**
 * @typedef {object} ChangedData
 * @property {string} written  the changes as in the URL, by which a difference is seen
 * @property {Change[]} changes
 * @property {import("../state/change_names.js").Named["sides"]} sides
 * @property {0 | 1} numbering
 * @property {boolean} baseline  whether the unchanged model is shown meanwhile
 * @property {boolean} canUndo
 * @property {boolean} isBehind  whether the page shows them as they are before this list is made
 * @property {string} problem  why the changes cannot be made
 */

/**
 * @typedef {object} ChangedOptions
 * @property {(changes: Change[]) => void} onChange
 * @property {() => void} onUndo
 * @property {(baseline: boolean) => void} onSide
 * @property {() => void} onCompare
 */

/**
 * @param {HTMLElement} element
 * @param {ChangedData} data
 * @param {ChangedOptions} options
 * @returns {import("../../api/types.js").View<ChangedData>}
 */
export function changedView(element, data, { onChange, onUndo, onSide, onCompare }) {
  const words = el("p", { class: "changed-words", role: "status" });
  const list = el("ul", { class: "chips", "aria-label": t("Changes") });
  const undo = el("button", { type: "button", class: "button is-small", onclick: onUndo }, t("Undo"));
  const back = el("button", { type: "button", class: "button", onclick: () => onChange([]) });
  const compare = el("button", { type: "button", class: "button", onclick: onCompare }, t("Side by side"));
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const before = side(true, t("Before"));
  const after = side(false, t("After"));
  const sides = el("fieldset", { class: "segmented" }, legend(), before.label, after.label);
  back.textContent = t("Back to the unchanged model");
  fill(
    element,
    el("div", { class: "changed-line" }, words, sides, compare, back),
    el("div", { class: "changed-line" }, list, undo),
    problem,
  );
  element.hidden = false;
  draw(data);

  function legend() {
    return el("legend", { class: "visually-hidden" }, t("Which model the page shows"));
  }

  /**
   * @param {boolean} baseline
   * @param {string} name
   */
  function side(baseline, name) {
    const input = el("input", { type: "radio", name: "side", onchange: () => onSide(baseline) });
    return { input, label: el("label", {}, input, el("span", {}, name)) };
  }

  /** @param {ChangedData} next */
  function draw(next) {
    const { changes, baseline, canUndo, isBehind } = next;
    const text = isBehind
      ? t("The picture below is not of these changes yet.")
      : baseline
        ? t("This is the unchanged model, before your changes.")
        : t("This is a changed model: every picture and number below is after your changes.");
    if (words.textContent !== text) words.textContent = text;
    before.input.checked = baseline;
    after.input.checked = !baseline;
    element.classList.toggle("is-before", baseline);
    const focused = [...list.querySelectorAll("button")].indexOf(
      /** @type {HTMLButtonElement} */ (document.activeElement),
    );
    fill(list, ...changes.map((change) => chip(next, change)));
    if (focused >= 0) (list.querySelectorAll("button")[Math.min(focused, changes.length - 1)] ?? back).focus();
    undo.hidden = !canUndo;
    problem.hidden = next.problem === "";
    if (problem.textContent !== next.problem) problem.textContent = next.problem;
  }

  /**
   * @param {ChangedData} next
   * @param {Change} change
   */
  function chip({ changes, sides, numbering }, change) {
    const where = placeName(change, numbering);
    const what = changeName(change, { sides, numbering });
    const remove = el(
      "button",
      {
        ...{ type: "button", class: "chip-remove", title: t("Remove") },
        "aria-label": t("Remove: {name}", { name: `${where}, ${what}` }),
        onclick: () => onChange(withoutChange(changes, change)),
      },
      "×",
    );
    return el("li", { class: "chip" }, el("span", {}, where), " ", el("bdi", { class: "chip-what" }, what), remove);
  }

  return {
    update: draw,
    destroy() {
      element.replaceChildren();
      element.hidden = true;
    },
  };
}
