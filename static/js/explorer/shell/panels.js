/** The main panel: one view at a time, chosen by its tab. */

import { need } from "../../base/dom.js";
import { matrixPanel } from "../matrix/panel.js";
import { remarksOn, remarksOnModel } from "./notices/remarks.js";
import { mount } from "../../base/mount.js";
import { latePanel } from "../widgets/late_panel.js";
import { whenIdle } from "../../base/idle.js";
import { remarksView } from "./notices/remarks_view.js";
import { tabsView } from "./tabs.js";

/** @typedef {import("../widgets/panel.js").Bench} Bench */
/** @typedef {import("../widgets/panel.js").Panel} Panel */
/** @typedef {import("../state/view_state.js").ViewName} ViewName */

/** @typedef {import("../widgets/late_panel.js").PanelMaker} PanelMaker */
/** @typedef {import("../widgets/late_panel.js").LatePanelMaker} LatePanelMaker */
/** @typedef {Partial<Record<ViewName, PanelMaker | LatePanelMaker>>} PanelMakers  in the order of tabs */

/** Those of one analysis. The first is there at once, the others when they are needed. @satisfies {PanelMakers} */
export const PANELS = {
  matrix: matrixPanel,
  lines: latePanel(
    () => import("../lines/panel.js"),
    ({ linesPanel }) => linesPanel,
  ),
  vectors: latePanel(
    () => import("../vectors/panel.js"),
    ({ vectorsPanel }) => vectorsPanel,
  ),
  token: latePanel(
    () => import("../tokens/panel.js"),
    ({ tokenPanel }) => tokenPanel,
  ),
  rollout: latePanel(
    () => import("../rollout/panel.js"),
    ({ rolloutPanel }) => rolloutPanel,
  ),
  output: latePanel(
    () => import("../output/panel.js"),
    ({ outputPanel }) => outputPanel,
  ),
  flow: latePanel(
    () => import("../flow/panel.js"),
    ({ flowPanel }) => flowPanel,
  ),
  patching: latePanel(
    () => import("../patching/panel.js"),
    ({ patchingPanel }) => patchingPanel,
  ),
  heads: latePanel(
    () => import("../heads/panel.js"),
    ({ headsPanel }) => headsPanel,
  ),
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
  const sign = need(root, "#remark-sign");
  sign.addEventListener("click", () => need(root, "#remarks").scrollIntoView({ block: "nearest" }));
  /** @type {Map<ViewName, Panel>} */
  const made = new Map();
  /** @type {ViewName | null} */
  let shown = null;

  function prepare() {
    for (const make of Object.values(makers)) if ("prepare" in make) make.prepare();
  }

  return {
    /** @param {import("../widgets/panel.js").Scene} scene */
    show(scene) {
      const view = names.find((name) => name === scene.value.view) ?? names[0];
      tabs({ view });
      const left = [...remarksOnModel(scene.analysis), ...remarksOn(scene.part, scene.value)].filter(
        ({ code }) => !dismissed.has(code),
      );
      remarks({ remarks: left });
      sign.hidden = left.length === 0;
      if (shown !== null && shown !== view) made.get(shown)?.hide();
      for (const [name, element] of elements) element.hidden = name !== view;
      const element = /** @type {HTMLElement} */ (elements.get(view));
      const panel = made.get(view) ?? makers[view]?.(element, bench);
      if (panel) made.set(view, panel);
      if (shown === null) whenIdle(prepare);
      shown = view;
      panel?.show(scene);
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} pointed  which alone has changed */
    point(pointed) {
      if (shown !== null) made.get(shown)?.point?.(pointed);
    },
  };
}
