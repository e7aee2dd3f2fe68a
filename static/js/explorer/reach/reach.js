/** Three maps of the same squares after one layer: what masks allow, what heads look at, and what really reaches. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { exact } from "../../base/numbers.js";
import { remembering } from "../../base/memoise.js";
import { mount } from "../../base/mount.js";
import { tokenColor } from "../../base/theme/theme.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { axesLine } from "../widgets/axes_line.js";
import { numberTable } from "../widgets/number_table.js";
import { CODES, countsOf, mapOf } from "./differences.js";
import { codeName, pairSentence, verdict } from "./words.js";

/** @typedef {import("../../api/reach.js").Reach} Reach */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../charts/heat_map/cells.js").Pointed} Pointed */
/** @typedef {import("../../charts/heat_map/heat_map.js").Paint} Paint */

/**
 * @typedef {object} ReachData
 * @property {Reach | null} reach  null while it is measured
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {number} layer
 * @property {number} layers
 * @property {0 | 1} numbering
 * @property {number | null} query
 * @property {number | null} key
 * @property {Pointed} pointed
 * @property {import("../widgets/panel.js").Scene["palette"]} palette
 */

/**
 * @typedef {object} ReachOptions
 * @property {(at: {query?: number | null, key?: number | null, layer?: number}, origin: "pick" | "move") => void} onPick
 * @property {(at: Pointed) => void} onPoint
 */

/** What a matrix needs to show meanwhile; here there is nothing. */
const NO_THUMBNAILS = { bytes: new Uint8Array(0), layers: 0, heads: 0, height: 0, width: 0 };
const MAPS = /** @type {const} */ (["may", "weights", "codes"]);
const LEGEND = [CODES.reached, CODES.shut, CODES.leak, CODES.unknown];

/**
 * @param {HTMLElement} element
 * @param {ReachData} data
 * @param {ReachOptions} options
 * @returns {import("../../base/mount.js").View<ReachData>}
 */
export function reachView(element, data, options) {
  const said = el("p", { class: "reach-verdict", "aria-live": "polite" });
  const slider = layerSlider((layer) => options.onPick({ layer }, "move"));
  const pair = el("p", { class: "reach-pair", "aria-live": "polite" });
  const counts = el("div", { class: "table-scroller", tabindex: 0, role: "region", "aria-label": countsTitle() });
  const maps = MAPS.map((what) => createMap(what, options));
  const legend = createLegend();
  fill(
    element,
    said,
    slider.element,
    axesLine(` ${t("is reached by")} `),
    el("div", { class: "reach-maps" }, ...maps.map(({ box }) => box)),
    legend.element,
    pair,
    el("h3", { class: "output-title" }, countsTitle()),
    counts,
  );
  const countsShown = remembering(countsTable);

  /** @param {ReachData} next */
  function draw(next) {
    const { reach, query, key, layer, numbering } = next;
    const isImage = next.keys.some(({ box }) => box);
    element.setAttribute("aria-busy", String(reach === null));
    say(said, reach ? verdict(reach, next) : "");
    slider.show(next);
    for (const map of maps) map.show(next);
    legend.show(reach);
    const isPair = reach !== null && query !== null && key !== null;
    say(pair, isPair ? pairSentence(reach, { query, key, layer }, next) : clickWords(isImage));
    fill(counts, reach && countsShown(reach, numbering, isImage));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      for (const map of maps) map.hide();
      element.replaceChildren();
      element.removeAttribute("aria-busy");
    },
  };
}

/** @param {(layer: number) => void} onLayer */
function layerSlider(onLayer) {
  const value = el("output", { class: "reach-layer-number" });
  const input = el("input", { type: "range", min: 0, step: 1, oninput: () => onLayer(Number(input.value)) });
  const element = el("label", { class: "reach-layer" }, el("span", {}, t("After layer")), value, input);
  return {
    element,
    /** @param {ReachData} data */
    show({ layer, layers, numbering }) {
      input.max = String(layers - 1);
      input.value = String(layer);
      const said = String(layer + numbering);
      value.textContent = said;
      input.setAttribute("aria-valuetext", said);
    },
  };
}

/**
 * @param {(typeof MAPS)[number]} what
 * @param {ReachOptions} options
 */
function createMap(what, { onPick, onPoint }) {
  const name = { may: t("May see"), weights: t("Looks"), codes: t("Reaches") }[what];
  const about = {
    may: t("what the masks of the layers so far let through"),
    weights: t("the largest weight of any head of this layer"),
    codes: t("whose state changes when a token is replaced"),
  }[what];
  const map = el("div", { class: "matrix" });
  const show = mount(map, matrixView, { onPick, onPoint, onZoom: () => {} });
  const matrix = remembering((/** @type {Reach | null} */ reach, /** @type {number} */ layer) =>
    reach ? mapOf(reach, layer, what) : null,
  );
  const paint = remembering(paintOf);
  return {
    box: el("section", { class: `reach-map is-${what}` }, el("h3", {}, name), el("p", { class: "note" }, about), map),
    hide: () => show(null),
    /** @param {ReachData} data */
    show({ reach, queries, keys, layer, numbering, query, key, pointed, palette }) {
      const shown = matrix(reach, layer);
      show({
        queries,
        keys,
        layer,
        numbering,
        query,
        key,
        pointed,
        name,
        head: 0,
        stage: "weights",
        rows: [0, queries.length],
        cols: [0, keys.length],
        thumbnails: NO_THUMBNAILS,
        sheet: null,
        matrix: shown,
        chosenValue: null,
        limits: what === "codes" ? [0, CODES.unknown] : [0, 1],
        paint: what === "weights" ? palette.weights.faint : paint(what, palette),
        says: (/** @type {number} */ value) => saysOf(what, value),
      });
    },
  };
}

/**
 * A value of a map in words, and of what.
 * @param {(typeof MAPS)[number]} what
 * @param {number} value
 * @returns {[string, string]}
 */
function saysOf(what, value) {
  if (what === "weights") return [exact(value), t("largest weight")];
  if (what === "codes") return [codeName(value), ""];
  return [value > 0 ? t("allowed") : t("masked"), ""];
}

/**
 * @param {"may" | "codes"} what
 * @param {import("../widgets/panel.js").Scene["palette"]} palette
 * @returns {Paint}
 */
function paintOf(what, palette) {
  const names = ["--color-sunk", "--color-key", "--series-4", "--color-bad", "--color-line"];
  const stops = names.slice(0, what === "may" ? 2 : names.length).map(tokenColor);
  return { ...palette.weights.plain, stops };
}

function createLegend() {
  const items = LEGEND.map((code) =>
    el("li", {}, el("span", { class: `reach-swatch is-${code}`, "aria-hidden": "true" }), codeName(code)),
  );
  const unknown = items[LEGEND.indexOf(CODES.unknown)];
  return {
    element: el("ul", { class: "reach-legend" }, ...items),
    /** @param {Reach | null} reach */
    show(reach) {
      unknown.hidden = !reach?.unknown.length;
    },
  };
}

function countsTitle() {
  return t("Pairs after each layer");
}

/** @param {boolean} isImage */
function clickWords(isImage) {
  return isImage ? t("Click a cell to follow its two patches.") : t("Click a cell to follow its two tokens.");
}

/**
 * @param {Reach} reach
 * @param {0 | 1} numbering
 * @param {boolean} isImage  patches have no order, so none is further back
 */
function countsTable(reach, numbering, isImage) {
  const head = [
    t("layer"),
    t("may see"),
    t("looks"),
    t("reaches"),
    t("reached, not allowed"),
    t("allowed, not reached"),
    ...(isImage ? [] : [t("allowed back"), t("farthest back")]),
  ];
  const rows = countsOf(reach).map(({ may, looks, reached, leaks, shut, allowedBack, farthest }, layer) => [
    ...[layer + numbering, may, looks, reached, leaks, shut],
    ...(isImage ? [] : [allowedBack, farthest]),
  ]);
  return numberTable(head, rows);
}
