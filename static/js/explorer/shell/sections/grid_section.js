/** The grid of all heads, and a readout of the pointed-at or chosen one. */

import { need } from "../../../base/dom.js";
import { areFaint } from "../../../charts/heat_map/auto_scale.js";
import { exact } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { remembering } from "../../../base/memoise.js";
import { mount } from "../../../base/mount.js";
import { headName, metricTitle } from "../../../wording/labels.js";
import { gridView } from "../../heads/grid.js";
import { measuresView } from "../../heads/measures.js";
import { keptHeads, toggled } from "../../state/head_list.js";

/** @typedef {import("../../widgets/panel.js").Bench} Bench */
/** @typedef {import("../../widgets/panel.js").Scene} Scene */

/** @param {Bench} bench */
export function createGridSection({ root, state, remember, measures }) {
  const byId = (/** @type {string} */ id) => need(root, `#${id}`);
  const readout = createReadout(byId("grid-readout"));
  const keptOf = remembering(
    (
      /** @type {import("../../../api/types.js").Part} */ part,
      /** @type {string} */ find,
      /** @type {string} */ limits,
      /** @type {0 | 1} */ numbering,
    ) => keptHeads(part, { find, limits, numbering }),
  );
  const showMeasuring = mount(byId("measuring"), measuresView, measures.choices);
  const show = mount(byId("grid"), gridView, {
    onPick: (head, beside) => state.set(beside ? { heads: toggled(state.get().heads, head) } : head, "pick"),
    legend: byId("grid-legend"),
    onPoint: readout.point,
  });
  const showFind = bindFind(root, state);

  return {
    /** @param {Scene} scene */
    show({ value, part, measured, changed, palette }) {
      showFind(value, measured.offers);
      const { info, offers } = measured;
      const { layer, head, numbering, faint } = value;
      const { thumbnails, sheet } = remember(part);
      const title = metricTitle(value.metric, info[value.metric]);
      const metricValues = measured.part.metrics[value.metric] ?? null;
      const sorted = value.sorted && metricValues !== null;
      show({
        thumbnails,
        sheet: sheet(palette.bytes[areFaint(faint, thumbnails) ? "faint" : "plain"]),
        layer,
        head,
        changed,
        beside: value.heads,
        numbering,
        kept: keptOf(measured.part, value.find, value.limits, numbering),
        metricTitle: title,
        metricValues,
        sorted,
      });
      showMeasuring({ offers: offers.filter(({ phase }) => phase === "running" || phase === "failed"), isTold: true });
      byId("grid-size").textContent = t("{layers} layers × {heads} heads", part);
      byId("grid-axes").hidden = sorted;
      readout.show({ chosen: { layer, head }, part, title, values: metricValues, numbering });
    },
  };
}

/**
 * The button that looks for heads by the chosen cell, where the page has it.
 * @param {Document} root
 * @param {Bench["state"]} state
 * @returns {(value: Scene["value"], offers: Scene["measured"]["offers"]) => void}
 */
function bindFind(root, state) {
  const find = /** @type {HTMLButtonElement | null} */ (root.querySelector("#quick-find"));
  find?.addEventListener("click", () => {
    const isOn = state.get().metric === "cell_weight";
    state.set(isOn ? { metric: "", sorted: false } : { metric: "cell_weight", sorted: true }, "pick");
  });
  return (value, offers) => {
    if (!find) return;
    find.disabled = value.key === null || !offers.some(({ group }) => group.name === "cell");
    find.setAttribute("aria-pressed", String(value.metric === "cell_weight"));
  };
}

/**
 * @typedef {{layer: number, head: number}} Head
 *
 * @typedef {object} Told  of the grid
 * @property {Head} chosen
 * @property {{layers: number, heads: number}} part
 * @property {string} title  of the measure
 * @property {number[][] | null} values  of the measure
 * @property {0 | 1} numbering
 */

/** Names the head under the pointer, else the chosen one, with its value of the measure. @param {HTMLElement} element */
function createReadout(element) {
  /** @type {Head | null} */
  let pointed = null;
  /** @type {Told | null} */
  let shown = null;

  function tell() {
    if (!shown) return;
    const { chosen, part, title, values, numbering } = shown;
    const isThere = pointed !== null && pointed.layer < part.layers && pointed.head < part.heads;
    const { layer, head } = pointed !== null && isThere ? pointed : chosen;
    const number = values?.[layer]?.[head];
    const measure = number === undefined ? "" : ` · ${title} ${exact(number)}`;
    element.textContent = headName(layer, head, numbering) + measure;
  }

  return {
    /** @param {Head | null} head */
    point(head) {
      pointed = head;
      tell();
    },
    /** @param {Told} told */
    show(told) {
      shown = told;
      tell();
    },
  };
}
