/** The tabs of the main panel. Arrows move and choose at once, as tabs whose panels are at hand do. */

import { need, showInRow } from "../../base/dom.js";

/** @typedef {import("../state/view_state.js").ViewName} ViewName */

/** @typedef {{view: ViewName}} TabsData */

/**
 * @param {HTMLElement} element  the tab list, with a button for each view
 * @param {TabsData} data
 * @param {{names: ViewName[], onPick: (view: ViewName) => void}} options
 * @returns {import("../../base/mount.js").View<TabsData>}
 */
export function tabsView(element, data, { names, onPick }) {
  const tabs = names.map((name) => /** @type {HTMLButtonElement} */ (need(element, `#tab-${name}`)));
  const stop = new AbortController();
  const { signal } = stop;
  for (const tab of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("[role=tab]"))) {
    tab.hidden = !tabs.some((one) => one === tab);
  }
  tabs.forEach((tab, index) => tab.addEventListener("click", () => onPick(names[index]), { signal }));
  element.addEventListener("keydown", onKey, { signal });

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = tabs.findIndex((tab) => tab === event.target);
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 };
    if (index < 0 || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const next = (moves[event.key] + tabs.length) % tabs.length;
    tabs[next].focus();
    onPick(names[next]);
  }

  let shown = "";

  /** @param {TabsData} next */
  function draw({ view }) {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(names[index] === view));
      tab.tabIndex = names[index] === view ? 0 : -1;
      if (names[index] === view && view !== shown) showInRow(tab, element);
    });
    shown = view;
  }

  draw(data);
  return { update: draw, destroy: () => stop.abort() };
}
