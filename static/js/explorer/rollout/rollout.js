/** Attention chained over layers for one query: rollout, mean weights of each layer, and flow. */

import { el, fill, smallButton } from "../../base/dom.js";
import { zoom } from "../../charts/heat_map/geometry.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { scaleFor, scaleNote } from "../../charts/heat_map/auto_scale.js";
import { axesOf, headingOf, keysNote, nameOf } from "./names.js";
import { alone, cellRange, largestInCell, rowMaxima, rowOf } from "./rows.js";
import { numberedName } from "../../wording/token_name.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { differs, mount } from "../../base/mount.js";
import { rolloutMapView } from "./map.js";
import { rolloutTable } from "./table.js";
import { tableDisclosure } from "../widgets/number_table.js";
import { rolloutTokensView } from "./token_shares.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./names.js").What} What */
/** @typedef {Record<"plain" | "faint", import("../../charts/heat_map/heat_map.js").Paint>} Paints */

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
 * @property {import("../../charts/heat_map/auto_scale.js").Wanted} faint
 * @property {Paints} paints
 * @property {import("./rows.js").NothingFrom} isMasked
 */

/**
 * @typedef {object} RolloutOptions  keys as places
 * @property {(at: {layer?: number, key?: number}, origin: "pick" | "move") => void} onPick
 * @property {(key: number | null) => void} onPoint
 * @property {(cols: Range) => void} onZoom
 */

/** Up to this many columns there is nothing to zoom into. */
const FEW = 32;
const MAPS = /** @type {const} */ (["rollout", "means", "flow"]);

/**
 * @param {HTMLElement} element
 * @param {RolloutData} data
 * @param {RolloutOptions} options
 * @returns {import("../../base/mount.js").View<RolloutData>}
 */
export function rolloutView(element, data, options) {
  let current = data;
  const sections = MAPS.map((what) =>
    createSection(what, options, (layer, key, cells) => described(current, what, layer, key, cells)),
  );
  const zooms = zoomButtons(options, () => current);
  const table = tableDisclosure({
    label: t("Rollout as a table"),
    make() {
      const { rollout, means } = current;
      return rollout && means && rolloutTable({ ...current, rollout, means });
    },
  });
  const maps = sections.map(({ box }) => box);
  const { title, readout, boxes } = layOut(element, maps, zooms, table.element);
  const views = {
    legend: mount(boxes.legend, legendView, {}),
    shares: mount(boxes.shares, rolloutTokensView, {
      onPick: (key) => options.onPick({ key }, "pick"),
      onPoint: options.onPoint,
    }),
  };
  draw();

  function draw() {
    const { token, keys, rollout, means, flow, numbering, faint, paints } = current;
    const scale = scaleFor(faint, rowMaxima([rollout, means, flow], keys.length));
    const limits = /** @type {[number, number]} */ ([0, scale.end]);
    const paint = paints[scale.isFaint ? "faint" : "plain"];
    element.setAttribute("aria-busy", String(rollout === null));
    fill(title, ...numberedName(token, numbering, { class: "is-query" }), " ", titleNote(rollout !== null));
    for (const { show } of sections) show(current, { limits, paint });
    zooms.hidden = keys.length <= FEW;
    const note = faint === "" ? scaleNote(scale) : "";
    views.legend({ scale: "weight", limits, faint: scale.isFaint, hasMasked: false, note });
    views.shares(sharesOf(current));
    table.draw();
    fill(readout, ...readoutOf(current));
  }

  return {
    update(next) {
      const isPointing = !differs(current, next, ["pointed"]);
      const { pointed } = (current = next);
      if (!isPointing) return draw();
      for (const { patch } of sections) patch(() => ({ pointed }));
      views.shares.patch(() => ({ pointed }));
    },
    destroy() {
      for (const { hide } of sections) hide();
      for (const show of Object.values(views)) show(null);
      element.replaceChildren();
      element.removeAttribute("aria-busy");
    },
  };
}

/**
 * Of the chosen layer.
 * @param {RolloutData} data
 * @returns {Parameters<typeof rolloutTokensView>[1]}
 */
function sharesOf(data) {
  const { keys, layer, numbering, key, pointed, flow, noFlow, isMasked } = data;
  return {
    keys,
    layer,
    numbering,
    key,
    pointed,
    flow,
    hasFlow: noFlow === "",
    isMasked,
    rollout: rowOf(data, "rollout", layer),
    means: rowOf(data, "means", layer),
  };
}

/**
 * @param {HTMLElement} element
 * @param {HTMLElement[]} maps
 * @param {HTMLElement} zooms
 * @param {HTMLElement} table
 */
function layOut(element, maps, zooms, table) {
  const title = el("p", { class: "rollout-title" });
  const readout = el("p", { class: "readout rollout-readout", "aria-live": "polite" });
  const boxes = {
    legend: el("div", { class: "legend" }),
    shares: el("div", { class: "rollout-table" }),
  };
  const foot = el("div", { class: "matrix-foot" }, boxes.legend, zooms);
  const columns = el("div", { class: "rollout-columns" }, el("div", {}, ...maps, foot, readout), boxes.shares);
  fill(element, title, columns, keysNote(), table);
  return { title, readout, boxes };
}

/**
 * @param {RolloutOptions} options
 * @param {() => RolloutData} current
 */
function zoomButtons({ onZoom }, current) {
  const zoomBy = (/** @type {number} */ factor) => {
    const { cols, key, keys } = current();
    onZoom(zoom(cols, factor, key, keys.length));
  };
  return el(
    "div",
    { class: "zooms", role: "group", "aria-label": t("Zoom") },
    smallButton("+", () => zoomBy(0.5), { "aria-label": t("Zoom in") }),
    smallButton("−", () => zoomBy(2), { "aria-label": t("Zoom out") }),
    smallButton(t("All"), () => onZoom([0, current().keys.length])),
  );
}

/**
 * One of the maps, under its heading.
 * @param {What} what
 * @param {RolloutOptions} options
 * @param {(layer: number, key: number, cells: import("../../base/decode.js").Matrix) => Node[]} describe
 */
function createSection(what, { onPick, onPoint, onZoom }, describe) {
  const isFlow = what === "flow";
  const heading = el("h3", { class: "rollout-heading" });
  const axes = el("p", { class: "axes", "aria-hidden": "true" });
  const map = el("div", { class: "rollout-map" });
  const obstacle = isFlow && el("p", { class: "note" });
  const draw = mount(map, rolloutMapView, {
    onPick: ({ layer, key }, origin) => onPick(key === null ? { layer } : { layer, key }, origin),
    onPoint: (cell) => onPoint(cell && cell.key),
    onZoom,
    describe,
  });
  return {
    box: el("section", { class: "rollout-section" }, heading, axes, map, obstacle),
    patch: draw.patch,
    hide: () => draw(null),
    /**
     * @param {RolloutData} data
     * @param {{limits: [number, number], paint: Paints["plain"]}} colours
     */
    show(data, colours) {
      const { keys, layers, cols, layer, key, pointed, numbering, noFlow } = data;
      const isShown = !isFlow || noFlow === "";
      const name = headingOf(what, layer + numbering);
      heading.textContent = name;
      fill(axes, ...axesOf(what));
      map.hidden = axes.hidden = !isShown;
      if (obstacle) obstacle.textContent = noFlow;
      if (obstacle) obstacle.hidden = isShown;
      if (!isShown) return draw(null);
      draw({
        layers,
        keys,
        cols,
        layer,
        key,
        pointed,
        numbering,
        ...colours,
        name,
        values: data[what],
        rows: isFlow ? [layer, layer + 1] : [0, layers.length],
        labelled: what === "rollout",
      });
    },
  };
}

/** @param {boolean} isThere */
function titleNote(isThere) {
  const text = isThere ? t("through the layers, mean of all heads") : t("Following the query through all layers …");
  return el("span", { class: "note" }, text);
}

/**
 * One cell in words.
 * @param {RolloutData} data
 * @param {What} what
 * @param {number} layer
 * @param {number} key
 * @param {import("../../base/decode.js").Matrix} cells
 */
function described(data, what, layer, key, cells) {
  const row = rowOf(data, what, layer);
  const token = row ? largestInCell(row, key, cells) : key;
  const stage = nameOf(what);
  const isForbidden = data.isMasked(what, layer, cellRange(key, cells));
  return [
    el("span", { class: "cell-pair" }, layerName(data, what, layer), " · ", ...named(data, token)),
    el("strong", { class: "cell-value" }, isForbidden ? t("masked") : row ? exact(row[token]) : "…"),
    el("span", { class: "cell-stage" }, cells.cellCols > 1 ? t("{stage}, largest in the cell", { stage }) : stage),
  ];
}

/**
 * The numbers of the chosen key after the chosen layer.
 * @param {RolloutData} data
 */
function readoutOf(data) {
  const { key, layer, noFlow } = data;
  if (key === null) return [el("span", { class: "readout-hint" }, t("Click a cell to keep its values here."))];
  const shown = MAPS.filter((what) => what !== "flow" || noFlow === "");
  const values = shown.map((what) => {
    const row = rowOf(data, what, layer);
    const text = data.isMasked(what, layer, alone(key)) ? t("masked") : row ? exact(row[key]) : "…";
    return el("span", {}, `${nameOf(what)} `, el("strong", {}, text));
  });
  return [el("span", {}, `${layerName(data, "rollout", layer)} · `, ...named(data, key)), ...values];
}

/**
 * @param {RolloutData} data
 * @param {What} what
 * @param {number} layer
 */
function layerName({ numbering }, what, layer) {
  const said = { layer: layer + numbering };
  return what === "means" ? t("in layer {layer}", said) : t("after layer {layer}", said);
}

/**
 * @param {RolloutData} data
 * @param {number} key
 */
function named({ keys, numbering }, key) {
  return numberedName(keys[key], numbering, { class: "is-key" });
}
