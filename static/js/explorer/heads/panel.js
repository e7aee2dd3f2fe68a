/** Panel of all heads as a table with their metrics. */

import { isUploaded, isWeightsOnly } from "../../api/analyses.js";
import { el, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { markOf } from "../state/changes/changed_heads.js";
import { formatHeads, headsDrawn, keptHeads, parseHeads, toggleHead } from "../state/head_list.js";
import { headsTableView } from "../widgets/heads_table.js";
import { measuresView } from "./measures.js";
import { mount } from "../../base/mount.js";
import { scatterView } from "../widgets/scatter.js";
import { createPanel } from "../widgets/panel.js";

/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */

/**
 * @param {HTMLElement} element
 * @param {import("../widgets/panel.js").Bench & {switchOff?: (heads: HeadAt[]) => void}} bench  `switchOff`: where the
 *   model can be changed
 * @returns {import("../widgets/panel.js").Panel}
 */
export function headsPanel(element, { state, measures, switchOff }) {
  const boxes = [el("div"), el("div"), el("div")];
  /** Those that are ticked, and the chosen one. @type {HeadAt[]} */
  let together = [];
  const off = smallButton(null, () => switchOff?.(together));
  const actions = el("div", { class: "quick" }, off);
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
    stands: [boxes[0], boxes[1], actions, boxes[2]],
    views,
    draw({ analysis, measured, value, changed }) {
      part = measured.part;
      const { layer, head, numbering, order, find, limits, heads } = value;
      views.measures({ offers: measured.offers, isTold: false });
      const { across, up } = value;
      const kept = keptHeads(part, value);
      views.scatter({ metrics: part.metrics, info: measured.info, across, up, kept, layer, head, numbering });
      together = headsDrawn(value, part);
      actions.hidden = !switchOff || together.length < 2 || isUploaded(analysis.id) || isWeightsOnly(analysis);
      say(off, t("Switch these {count} heads off", { count: together.length }));
      off.setAttribute("aria-pressed", String(together.every((drawn) => markOf(changed, drawn) === "off")));
      views.table({ part, info: measured.info, layer, head, numbering, order, find, limits, chosen: heads, changed });
    },
  });
}
