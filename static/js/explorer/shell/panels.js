/** The main panel: one view at a time, chosen by its tab. */

import { need } from "../../base/dom.js";
import { headsPanel } from "../heads/panel.js";
import { linesPanel } from "../lines/panel.js";
import { matrixPanel } from "../matrix/panel.js";
import { outputPanel } from "../output/panel.js";
import { rolloutPanel } from "../rollout/panel.js";
import { tokenPanel } from "../tokens/panel.js";
import { vectorsPanel } from "../vectors/panel.js";
import { remarksOn } from "./remarks.js";
import { mount } from "../../base/mount.js";
import { remarksView } from "./remarks_view.js";
import { tabsView } from "./tabs.js";

/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../widgets/panel.js").Panel} Panel */
/** @typedef {import("../state/view_state.js").ViewName} ViewName */

/** @typedef {Partial<Record<ViewName, (element: HTMLElement, bench: Bench) => Panel>>} PanelMakers  in the order of tabs */

/** Those of one analysis. @satisfies {PanelMakers} */
export const PANELS = {
  matrix: matrixPanel,
  lines: linesPanel,
  vectors: vectorsPanel,
  token: tokenPanel,
  rollout: rolloutPanel,
  output: outputPanel,
  heads: headsPanel,
};

/**
 * @param {Bench} bench
 * @param {PanelMakers} makers
 */
export function createPanels(bench, makers) {
  const { root, state } = bench;
  const names = /** @type {ViewName[]} */ (Object.keys(makers));
  const elements = new Map(names.map((name) => [name, need(root, `#panel-${name}`)]));
  const tabs = mount(need(root, "#views"), tabsView, {
    names,
    onPick: (/** @type {ViewName} */ view) => state.set({ view }, "pick"),
  });
  /** Remarks put away, by what they say: they stay away for the visit. @type {Set<string>} */
  const dismissed = new Set();
  const remarks = mount(need(root, "#remarks"), remarksView, {
    onDismiss: (/** @type {string} */ code) => {
      dismissed.add(code);
      bench.schedule();
    },
  });
  /** @type {Map<ViewName, Panel>} */
  const made = new Map();
  /** @type {ViewName | null} */
  let shown = null;

  return {
    /** @param {import("../widgets/panel.js").Scene} scene */
    show(scene) {
      const view = names.find((name) => name === scene.value.view) ?? names[0];
      tabs({ view });
      remarks({ remarks: remarksOn(scene.part, scene.value).filter(({ code }) => !dismissed.has(code)) });
      if (shown !== null && shown !== view) made.get(shown)?.hide();
      for (const [name, element] of elements) element.hidden = name !== view;
      const element = /** @type {HTMLElement} */ (elements.get(view));
      const panel = made.get(view) ?? makers[view]?.(element, bench);
      if (panel) made.set(view, panel);
      shown = view;
      panel?.show(scene);
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} pointed  which alone has changed */
    point(pointed) {
      if (shown !== null) made.get(shown)?.point?.(pointed);
    },
  };
}
