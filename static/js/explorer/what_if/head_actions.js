/** Common changes of a head, by one click or one key in the grid. */

import { hasChange, toggled } from "../state/changes/changes.js";
import { el, fill } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { isOnly, toggleOnly } from "./isolate_head.js";

/** @typedef {import("../state/changes/changes.js").Change} Change */

/**
 * @typedef {object} HeadActionsData
 * @property {string} obstacle  why nothing can be changed; "" where it can
 * @property {string} written  the changes as in the URL, for comparison
 * @property {Change[]} changes
 * @property {string} part  "" for the first
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {HeadAt[]} shown  the chosen head, or those whose mean is shown
 * @property {HeadAt[]} together  all chosen heads, where they are several and each is shown by itself
 * @property {number} heads  of its layer
 * @property {0 | 1} numbering
 */

/** @typedef {"off" | "uniform"} HeadAction  of any number of heads */
/** @typedef {HeadAction | "only"} Action */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/** Keys in the grid. @type {Record<string, Action>} */
const KEYS = { Delete: "off", Backspace: "off", u: "uniform", o: "only" };

/**
 * @param {HTMLElement} element
 * @param {HeadActionsData} data
 * @param {{grid: HTMLElement, onChange: (changes: Change[]) => void}} options  `grid`: where the keys work
 * @returns {import("../../base/mount.js").View<HeadActionsData>}
 */
export function headActionsView(element, data, { grid, onChange }) {
  let current = data;
  const names = { off: t("off"), uniform: t("attends to all equally"), only: t("alone in its layer") };
  const buttons = /** @type {Action[]} */ (Object.keys(names)).map((action) => {
    const attributes = { type: "button", class: "button is-small", onclick: () => act(action, current.shown) };
    return { action, button: el("button", attributes, names[action]) };
  });
  const name = el("span", { class: "note" });
  const group = el("div", { class: "quick", role: "group" }, name, ...buttons.map(({ button }) => button));
  const together = createTogether(names, (action) => act(action, current.together));
  const keys = t(
    "In the grid: Delete switches a head off, U makes it attend to all tokens equally, O leaves only that head on in its layer.",
  );
  const stop = new AbortController();
  const note = el("p", { class: "note" });
  fill(element, group, together.element, note);
  grid.addEventListener("keydown", onKey, { signal: stop.signal });
  draw();

  /**
   * @param {Action} action
   * @param {HeadAt[]} places
   */
  function act(action, places) {
    const { changes, part, heads } = current;
    if (action === "only") return onChange(toggleOnly(changes, { part, ...places[0] }, heads));
    onChange(toggled(changes, changesAt(action, part, places)));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const action = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    const cell = event.target instanceof Element ? event.target.closest("button") : null;
    if (!action || !cell || current.obstacle || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    cell.click(); // what has the focus becomes the chosen head
    requestAnimationFrame(() => act(action, [current]));
  }

  function draw() {
    const { obstacle, changes, part, layer, head, heads, shown, numbering } = current;
    const place = { part, layer, head };
    note.textContent = obstacle || keys;
    const of =
      shown.length > 1 ? t("Mean of {count} heads", { count: shown.length }) : headName(layer, head, numbering);
    name.textContent = labelled(of).trimEnd();
    group.setAttribute("aria-label", t("What if: {head}", { head: of }));
    const isMade = (/** @type {HeadAction} */ action, /** @type {HeadAt[]} */ places) =>
      changesAt(action, part, places).every((change) => hasChange(changes, change));
    const pressed = {
      off: isMade("off", shown),
      uniform: isMade("uniform", shown),
      only: isOnly(changes, place, heads),
    };
    for (const { action, button } of buttons) {
      button.setAttribute("aria-pressed", String(pressed[action]));
      button.disabled = obstacle !== "" || (action === "only" && (heads < 2 || shown.length > 1));
    }
    together.show(current.together.length, obstacle !== "", (action) => isMade(action, current.together));
  }

  return {
    update(next) {
      current = next;
      draw();
    },
    destroy() {
      stop.abort();
      element.replaceChildren();
    },
  };
}

/**
 * The buttons for all chosen heads together; hidden where one is chosen.
 * @param {Record<HeadAction, string>} names
 * @param {(action: HeadAction) => void} onPress
 */
function createTogether(names, onPress) {
  const buttons = /** @type {HeadAction[]} */ (["off", "uniform"]).map((action) => {
    const attributes = { type: "button", class: "button is-small", onclick: () => onPress(action) };
    return { action, button: el("button", attributes, names[action]) };
  });
  const name = el("span", { class: "note" });
  const element = el("div", { class: "quick", role: "group" }, name, ...buttons.map(({ button }) => button));
  return {
    element,
    /**
     * @param {number} count
     * @param {boolean} isDisabled
     * @param {(action: HeadAction) => boolean} isMade
     */
    show(count, isDisabled, isMade) {
      const of = t("{count} chosen heads", { count });
      element.hidden = count === 0;
      element.setAttribute("aria-label", t("What if: {head}", { head: of }));
      name.textContent = labelled(of).trimEnd();
      for (const { action, button } of buttons) {
        button.setAttribute("aria-pressed", String(count > 0 && isMade(action)));
        button.disabled = isDisabled;
      }
    },
  };
}

/**
 * @param {HeadAction} action
 * @param {string} part
 * @param {HeadAt[]} places
 * @returns {Change[]}
 */
function changesAt(action, part, places) {
  return places.map(({ layer, head }) => ({ kind: action, part, layer, head }));
}
