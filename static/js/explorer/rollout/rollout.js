/** How attention chains over layers, for one query: rollout beside each layer's mean weights, and the flow. */

import { el, fill } from "../../base/dom.js";
import { zoom } from "../../charts/heat_map/geometry.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { axesOf, headingOf, keysNote, nameOf } from "./names.js";
import { largestInCell, largestOf } from "./rows.js";
import { tokenName } from "../../wording/token_name.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { mount } from "../../base/mount.js";
import { rolloutMapView } from "./map.js";
import { rolloutTableView } from "./table.js";
import { rolloutTokensView } from "./token_shares.js";

/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./names.js").What} What */

/**
 * @typedef {object} RolloutData
 * @property {Token} token  the query
 * @property {Token[]} keys  as they are arranged
 * @property {Token[]} layers  their numbers, as labels
 * @property {Float32Array | null} rollout  layers × keys; null while it is fetched
 * @property {Float32Array | null} means
 * @property {Float32Array | null} flow  of the chosen layer
 * @property {string} noFlow  why there is none; "" where there is
 * @property {number} layer
 * @property {number | null} key  place
 * @property {number | null} pointed  place
 * @property {Range} cols  places in view
 * @property {0 | 1} numbering
 * @property {import("../../charts/heat_map/heat_map.js").Paint} paint
 */

/**
 * @typedef {object} RolloutOptions  keys as places
 * @property {(at: {layer?: number, key?: number}, origin: "pick" | "move") => void} onPick
 * @property {(key: number | null) => void} onPoint
 * @property {(cols: Range) => void} onZoom
 */

/** No more can leave a query than its weights and its residual add up to. @type {[number, number]} */
const FLOW_LIMITS = [0, 1];
/** With so few columns there is nothing to look closer at. */
const FEW = 32;

/**
 * @param {HTMLElement} element
 * @param {RolloutData} data
 * @param {RolloutOptions} options
 * @returns {import("../../api/types.js").View<RolloutData>}
 */
export function rolloutView(element, data, options) {
  let current = data;
  const title = el("p", { class: "rollout-title" });
  const readout = el("p", { class: "readout rollout-readout", "aria-live": "polite" });
  const legend = el("div", { class: "legend" });
  const table = el("div", { class: "rollout-table" });
  const zooms = el(
    "div",
    { class: "zooms", role: "group", "aria-label": t("Zoom") },
    button("+", t("Zoom in"), () => zoomBy(0.5)),
    button("−", t("Zoom out"), () => zoomBy(2)),
    button(t("All"), null, () => options.onZoom([0, current.keys.length])),
  );
  const maps = /** @type {What[]} */ (["rollout", "means", "flow"]).map(section);
  const noFlow = el("p", { class: "note" });
  maps[2].box.append(noFlow);
  const foot = el(
    "div",
    { class: "matrix-foot" },
    legend,
    el("p", { class: "note" }, t("Colour follows √ of the number, so that small shares are seen.")),
    zooms,
  );
  const columns = el(
    "div",
    { class: "rollout-columns" },
    el("div", {}, ...maps.map(({ box }) => box), foot, readout),
    table,
  );
  const numbers = el("div", {
    class: "table-scroller",
    tabindex: 0,
    role: "region",
    "aria-label": t("Rollout as a table"),
  });
  const details = el("details", { class: "disclosure" }, el("summary", {}, t("Read as a table")), numbers);
  details.addEventListener("toggle", drawNumbers);
  fill(element, title, columns, keysNote(), details);
  const showNumbers = mount(numbers, rolloutTableView, {});
  const showLegend = mount(legend, legendView, {});
  const showTable = mount(table, rolloutTokensView, {
    onPick: (key) => options.onPick({ key }, "pick"),
    onPoint: options.onPoint,
  });
  draw();

  /**
   * @param {string} text
   * @param {string | null} label
   * @param {() => void} onclick
   */
  function button(text, label, onclick) {
    return el("button", { type: "button", class: "button is-small", "aria-label": label, onclick }, text);
  }

  /** @param {What} what */
  function section(what) {
    const heading = el("h3", { class: "rollout-heading" });
    const axes = el("p", { class: "axes", "aria-hidden": "true" });
    const map = el("div", { class: "rollout-map" });
    const show = mount(map, rolloutMapView, {
      onPick: (at, origin) =>
        options.onPick(at.key === null ? { layer: at.layer } : { layer: at.layer, key: at.key }, origin),
      onPoint: (at) => options.onPoint(at && at.key),
      onZoom: options.onZoom,
      describe: (layer, key, cells) => described(what, layer, key, cells),
    });
    return { what, heading, axes, map, show, box: el("section", { class: "rollout-section" }, heading, axes, map) };
  }

  /** @param {number} factor */
  function zoomBy(factor) {
    options.onZoom(zoom(current.cols, factor, current.key, current.keys.length));
  }

  /**
   * One cell in words.
   * @param {What} what
   * @param {number} layer
   * @param {number} key
   * @param {import("../../api/types.js").Matrix} cells
   */
  function described(what, layer, key, cells) {
    const row = rowOf(what, layer);
    const found = row ? largestInCell(row, key, cells) : key;
    return [
      el("span", { class: "cell-pair" }, layerName(what, layer), " · ", ...named(current.keys[found])),
      el("strong", { class: "cell-value" }, row ? exact(row[found]) : "…"),
      el(
        "span",
        { class: "cell-stage" },
        cells.cellCols > 1 ? t("{stage}, largest in the cell", { stage: nameOf(what) }) : nameOf(what),
      ),
    ];
  }

  /**
   * @param {What} what
   * @param {number} layer
   */
  function rowOf(what, layer) {
    const values = current[what];
    const width = current.keys.length;
    return values && what !== "flow" ? values.subarray(layer * width, (layer + 1) * width) : values;
  }

  /**
   * @param {What} what
   * @param {number} layer
   */
  function layerName(what, layer) {
    const said = { layer: layer + current.numbering };
    return what === "means" ? t("in layer {layer}", said) : t("after layer {layer}", said);
  }

  /** @param {Token} token */
  function named(token) {
    return [
      tokenName(token, { class: "is-key" }),
      el("span", { class: "token-index" }, token.index + current.numbering),
    ];
  }

  function draw() {
    const {
      token,
      keys,
      layers,
      rollout,
      means,
      flow,
      noFlow: reason,
      layer,
      key,
      pointed,
      cols,
      numbering,
      paint,
    } = current;
    element.setAttribute("aria-busy", String(rollout === null));
    fill(
      title,
      tokenName(token, { class: "is-query" }),
      el("span", { class: "token-index" }, token.index + numbering),
      " ",
      el(
        "span",
        { class: "note" },
        rollout === null ? t("is followed through all layers …") : t("through the layers, all heads together"),
      ),
    );
    const limits = /** @type {[number, number]} */ ([0, largestOf(rollout, means) || 1]);
    const common = { layers, keys, cols, layer, key, pointed, numbering, paint };
    const all = /** @type {Range} */ ([0, layers.length]);
    for (const { what, heading, axes, map, show } of maps) {
      const isFlow = what === "flow";
      heading.textContent = headingOf(what, layer + numbering);
      fill(axes, ...axesOf(what));
      const isShown = !isFlow || reason === "";
      map.hidden = axes.hidden = !isShown;
      const rows = isFlow ? /** @type {Range} */ ([layer, layer + 1]) : all;
      const values = current[what];
      const own = isFlow ? FLOW_LIMITS : limits;
      show(
        isShown
          ? { ...common, rows, values, limits: own, labelled: what === "rollout", name: heading.textContent }
          : null,
      );
    }
    noFlow.textContent = reason;
    noFlow.hidden = reason === "";
    zooms.hidden = keys.length <= FEW;
    showLegend({ scale: "weight", limits, faint: true, hasMasked: false });
    showTable({
      ...{ keys, layer, numbering, key, pointed, flow, hasFlow: reason === "" },
      ...{ rollout: rowOf("rollout", layer), means: rowOf("means", layer) },
    });
    drawNumbers();
    drawReadout();
  }

  function drawNumbers() {
    const { token, keys, layers, rollout, means, cols, layer, numbering } = current;
    const isThere = details.open && rollout && means;
    showNumbers(isThere ? { token, keys, layers, rollout, means, cols, layer, numbering } : null);
  }

  function drawReadout() {
    const { key, layer, keys, noFlow: reason } = current;
    if (key === null) return fill(readout, t("Pick a cell to keep its numbers here."));
    const value = (/** @type {What} */ what) => {
      const row = rowOf(what, layer);
      return el("span", {}, `${nameOf(what)} `, el("strong", {}, row ? exact(row[key]) : "…"));
    };
    fill(
      readout,
      el("span", {}, `${layerName("rollout", layer)} · `, ...named(keys[key])),
      value("rollout"),
      value("means"),
      reason === "" && value("flow"),
    );
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const isPointing = Object.keys(next).every((name) => {
        const one = /** @type {keyof RolloutData} */ (name);
        return one === "pointed" || Object.is(next[one], before[one]);
      });
      if (!isPointing) return draw();
      for (const { show } of maps) show.patch(() => ({ pointed: next.pointed }));
      showTable.patch(() => ({ pointed: next.pointed }));
    },
    destroy() {
      for (const { show } of maps) show(null);
      showLegend(null);
      showTable(null);
      showNumbers(null);
      element.replaceChildren();
      element.removeAttribute("aria-busy");
    },
  };
}
