/** Every head as a line of a table, with its metrics. */

import { el, fill } from "../../base/dom.js";
import { formatHeads, formatLimits, parseHeads, parseLimits, toggleHead } from "../state/head_list.js";
import { headsTableView } from "./heads_table.js";
import { measuresView } from "./measures.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Part} Part */

/**
 * @param {HTMLElement} element
 * @param {import("../../api/types.js").Bench} bench
 * @returns {import("../../api/types.js").Panel}
 */
export function headsPanel(element, { state, measures }) {
  const bars = { measures: el("div"), table: el("div") };
  /** @type {Part | null} */
  let part = null;
  const showMeasures = mount(bars.measures, measuresView, measures.choices);
  const show = mount(bars.table, headsTableView, {
    onPick: (head) => state.set(head, "pick"),
    onToggle: (head) => {
      if (part) state.set({ heads: formatHeads(toggleHead(parseHeads(state.get().heads, part), head)) }, "pick");
    },
    onOrder: (order) => state.set({ order }, "pick"),
    onFind: (find) => state.set({ find }, "type"),
    onLimit: (name, ends) => {
      state.set({ limits: formatLimits({ ...parseLimits(state.get().limits), [name]: ends }) }, "move");
    },
    onClear: () => state.set({ find: "", limits: "" }, "pick"),
  });
  return {
    show({ measured, value, changed }) {
      if (!bars.table.isConnected) fill(element, ...Object.values(bars));
      part = measured.part;
      const { layer, head, numbering, order, find, limits, heads } = value;
      showMeasures({ offers: measured.offers, isTold: false });
      show({ part, info: measured.info, layer, head, numbering, order, find, limits, chosen: heads, changed });
    },
    hide() {
      showMeasures(null);
      show(null);
      element.replaceChildren();
    },
  };
}
