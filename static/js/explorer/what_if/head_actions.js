/** Common changes of a head, by one click or one key in the grid. */

import { hasChange, toggled } from "../state/changes/changes.js";
import { el, fill, smallButton } from "../../base/dom.js";
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
  const shown = createGroup(names, (action) => act(action, current.shown));
  const together = createGroup({ off: names.off, uniform: names.uniform }, (action) => act(action, current.together));
  const keys = t(
    "In the grid: Delete switches a head off, U makes it attend to all tokens equally, O leaves only that head on in its layer.",
  );
  const stop = new AbortController();
  const note = el("p", { class: "note" });
  fill(element, shown.element, together.element, note);
  grid.addEventListener("keydown", onKey, { signal: stop.signal });
  draw();

  /**
   * @param {Action} action
   * @param {HeadAt[]} places
   */
  function act(action, places) {
    onChange(changesAfter(current, action, places));
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
    note.textContent = current.obstacle || keys;
    shown.show(shownName(current), (action) => buttonState(current, action, current.shown));
    const count = current.together.length;
    together.element.hidden = count === 0;
    together.show(t("{count} chosen heads", { count }), (action) => buttonState(current, action, current.together));
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

/** @param {HeadActionsData} data */
function shownName({ shown, layer, head, numbering }) {
  const count = shown.length;
  return count > 1 ? t("Mean of {count} heads", { count }) : headName(layer, head, numbering);
}

/**
 * How a button stands.
 * @param {HeadActionsData} data
 * @param {Action} action
 * @param {HeadAt[]} places  that it changes
 */
export function buttonState(data, action, places) {
  const { obstacle, changes, part, heads } = data;
  if (action === "only")
    return { isMade: isOnly(changes, data, heads), isOff: obstacle !== "" || heads < 2 || places.length > 1 };
  const these = changesAt(action, part, places);
  const isMade = these.length > 0 && these.every((change) => hasChange(changes, change));
  return { isMade, isOff: obstacle !== "" };
}

/**
 * The changes after a press, which takes back what is made.
 * @param {Pick<HeadActionsData, "changes" | "part" | "heads">} data
 * @param {Action} action
 * @param {HeadAt[]} places
 */
export function changesAfter({ changes, part, heads }, action, places) {
  if (action === "only") return toggleOnly(changes, { part, ...places[0] }, heads);
  return toggled(changes, changesAt(action, part, places));
}

/**
 * Buttons for the same heads, which are named before them.
 * @template {Action} A
 * @param {Partial<Record<A, string>>} names
 * @param {(action: A) => void} onPress
 */
function createGroup(names, onPress) {
  const buttons = /** @type {A[]} */ (Object.keys(names)).map((action) => {
    return { action, button: smallButton(names[action], () => onPress(action)) };
  });
  const name = el("span", { class: "note" });
  const element = el("div", { class: "quick", role: "group" }, name, ...buttons.map(({ button }) => button));
  return {
    element,
    /**
     * @param {string} of  the heads
     * @param {(action: A) => {isMade: boolean, isOff: boolean}} stateOf
     */
    show(of, stateOf) {
      element.setAttribute("aria-label", t("What if: {head}", { head: of }));
      name.textContent = labelled(of).trimEnd();
      for (const { action, button } of buttons) {
        const { isMade, isOff } = stateOf(action);
        button.setAttribute("aria-pressed", String(isMade));
        button.disabled = isOff;
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
