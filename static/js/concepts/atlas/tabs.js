/** The tabs beside the map; arrows move and choose at once. */

import { need, showInRow } from "../../base/dom.js";
import { moveInList } from "../../base/key_moves.js";
import { VIEWS } from "./state.js";

/** The button beside the choice of the atlas that leads to the form. @type {typeof tabsView} */
export const scanAnotherView = (element, _, { set }) => {
  element.addEventListener("click", () => {
    set({ view: "corpus" }, "pick");
    requestAnimationFrame(() => {
      const model = document.querySelector("#scan-model");
      if (!(model instanceof HTMLSelectElement)) return;
      model.scrollIntoView({ block: "center" });
      model.focus({ preventScroll: true });
    });
  });
  return { update: () => undefined, destroy: () => undefined };
};

/** @type {import("../frame/concept.js").ConceptView<{state: Readonly<import("./state.js").AtlasState>}>} */
export const tabsView = (element, data, { set }) => {
  const tabs = VIEWS.map((view) => /** @type {HTMLButtonElement} */ (need(element, `#tab-${view}`)));
  const panels = VIEWS.map((view) => need(document, `#panel-${view}`));
  tabs.forEach((tab, index) => tab.addEventListener("click", () => set({ view: VIEWS[index] }, "pick")));
  element.addEventListener("keydown", (event) => {
    const index = tabs.findIndex((tab) => tab === event.target);
    const next = index < 0 ? null : moveInList(event.key, index, tabs.length, { way: "right" });
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // arrows would walk through the steps of the calculation
    tabs[next].focus();
    set({ view: VIEWS[next] }, "pick");
  });
  let shown = "";

  /** @param {{state: Readonly<import("./state.js").AtlasState>}} next */
  function update({ state: { view } }) {
    if (view === shown) return;
    tabs.forEach((tab, index) => {
      const isShown = VIEWS[index] === view;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panels[index].hidden = !isShown;
      if (isShown && shown) showInRow(tab);
    });
    shown = view;
  }

  update(data);
  return { update, destroy: () => undefined };
};
