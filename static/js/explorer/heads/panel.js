/** Panel of all heads as a table with their metrics. */

import { el } from "../../base/dom.js";
import { formatHeads, keptHeads, parseHeads, toggleHead } from "../state/head_list.js";
import { headsTableView } from "../widgets/heads_table.js";
import { measuresView } from "./measures.js";
import { mount } from "../../base/mount.js";
import { scatterView } from "../widgets/scatter.js";
import { createPanel } from "../widgets/panel.js";

/** @typedef {import("../../api/types.js").Part} Part */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench} bench
 * @returns {import("../widgets/panel.js").Panel}
 */
export function headsPanel(element, { state, measures }) {
  const boxes = [el("div"), el("div"), el("div")];
  /** @type {Part | null} */
  let part = null;
  const views = {
    measures: mount(boxes[0], measuresView, measures.choices),
    scatter: mount(boxes[1], scatterView, {
      onPick: (head) => state.set(head, "pick"),
      onAxes: (axes) => state.set(axes, "pick"),
    }),
    table: mount(boxes[2], headsTableView, {
      onPick: (head) => state.set(head, "pick"),
      onToggle: (head) => {
        if (part) state.set({ heads: formatHeads(toggleHead(parseHeads(state.get().heads, part), head)) }, "pick");
      },
      onOrder: (order) => state.set({ order }, "pick"),
      onFind: (find) => state.set({ find }, "type"),
      onClear: () => state.set({ find: "", limits: "" }, "pick"),
    }),
  };
  return createPanel(element, {
    stands: boxes,
    views,
    draw({ measured, value, changed }) {
      part = measured.part;
      const { layer, head, numbering, order, find, limits, heads } = value;
      views.measures({ offers: measured.offers, isTold: false });
      const { across, up } = value;
      const kept = keptHeads(part, value);
      views.scatter({ metrics: part.metrics, info: measured.info, across, up, kept, layer, head, numbering });
      views.table({ part, info: measured.info, layer, head, numbering, order, find, limits, chosen: heads, changed });
    },
  });
}
