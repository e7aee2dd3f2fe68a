/** Every head as a line of a table, with its metrics. */

import { formatHeads, formatLimits, parseHeads, parseLimits, toggleHead } from "../head_list.js";
import { headsTableView } from "../views/heads_table.js";
import { mount } from "../views/mount.js";

/**
 * @param {HTMLElement} element
 * @param {import("../types.js").Bench} bench
 * @returns {import("../types.js").Panel}
 */
export function headsPanel(element, { state }) {
  /** @type {import("../types.js").Part | null} */
  let part = null;
  const show = mount(element, headsTableView, {
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
    show(scene) {
      part = scene.part;
      const { layer, head, numbering, order, find, limits, heads } = scene.value;
      const info = scene.analysis.metric_info;
      show({ part, info, layer, head, numbering, order, find, limits, chosen: heads });
    },
    hide: () => show(null),
  };
}
