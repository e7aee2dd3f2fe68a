/** What is most often tried on a head, one click or one key away from the grid. */

import { hasChange, withChange, withoutChange } from "../changes.js";
import { el, fill } from "../dom.js";
import { t } from "../i18n.js";
import { headName } from "../labels.js";
import { isOnly, off, toggleOnly } from "../only_head.js";

/** @typedef {import("../changes.js").Change} Change */

/**
 * @typedef {object} HeadActionsData
 * @property {string} written  the changes as in the URL, by which a difference is seen
 * @property {Change[]} changes
 * @property {string} part  "" for the first
 * @property {number} layer  the chosen head
 * @property {number} head
 * @property {number} heads  of its layer
 * @property {0 | 1} numbering
 */

/** @typedef {"off" | "uniform" | "only"} Action */

/** Keys in the grid. @type {Record<string, Action>} */
const KEYS = { Delete: "off", Backspace: "off", u: "uniform", o: "only" };

/**
 * @param {HTMLElement} element
 * @param {HeadActionsData} data
 * @param {{grid: HTMLElement, onChange: (changes: Change[]) => void}} options  `grid`: where the keys work
 * @returns {import("../types.js").View<HeadActionsData>}
 */
export function headActionsView(element, data, { grid, onChange }) {
  let current = data;
  const names = { off: t("off"), uniform: t("reads all equally"), only: t("only this head of its layer") };
  const buttons = /** @type {Action[]} */ (Object.keys(names)).map((action) => {
    const attributes = { type: "button", class: "button is-small", onclick: () => act(action) };
    return { action, button: el("button", attributes, names[action]) };
  });
  const group = el("div", { class: "quick", role: "group" }, ...buttons.map(({ button }) => button));
  const keys = t("In the grid: Delete switches a head off, U lets it read all equally, O leaves only it working.");
  const stop = new AbortController();
  fill(element, group, el("p", { class: "note" }, keys));
  grid.addEventListener("keydown", onKey, { signal: stop.signal });
  draw();

  /** @param {Action} action */
  function act(action) {
    const { changes, part, layer, head, heads } = current;
    const place = { part, layer, head };
    if (action === "only") return onChange(toggleOnly(changes, place, heads));
    const one = action === "off" ? off(place) : /** @type {Change} */ ({ kind: action, ...place });
    onChange(hasChange(changes, one) ? withoutChange(changes, one) : withChange(changes, one));
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const action = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    const cell = event.target instanceof Element ? event.target.closest("button") : null;
    if (!action || !cell || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    cell.click(); // what has the focus becomes the chosen head
    requestAnimationFrame(() => act(action));
  }

  function draw() {
    const { changes, part, layer, head, heads, numbering } = current;
    const place = { part, layer, head };
    group.setAttribute("aria-label", t("What if: {head}", { head: headName(layer, head, numbering) }));
    const uniform = /** @type {Change} */ ({ kind: "uniform", ...place });
    const pressed = {
      off: hasChange(changes, off(place)),
      uniform: hasChange(changes, uniform),
      only: isOnly(changes, place, heads),
    };
    for (const { action, button } of buttons) {
      button.setAttribute("aria-pressed", String(pressed[action]));
      button.disabled = action === "only" && heads < 2;
    }
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
