/** The matrix of weight × gradient of the chosen head, with its scale and its strongest cells. */

import { el, fill } from "../../base/dom.js";
import { axesLine } from "../widgets/axes_line.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { maskedIn, mayAttend } from "../state/allowed_keys.js";
import { placesIn, readWindow, writeWindow } from "../state/selection.js";
import { largest, strongest } from "../widgets/signed_shares.js";
import { axesVerb } from "../../wording/stage_words.js";
import { assemble } from "../../charts/heat_map/tiles.js";
import { weightsView } from "./attribution.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * @typedef {object} MapScene
 * @property {Pick<import("../state/view_state.js").ViewState, "layer" | "head" | "numbering" | "cell" | "rows" | "cols">} value
 * @property {Part} part
 * @property {import("../../api/types.js").Token[]} queries
 * @property {import("../../api/types.js").Token[]} keys
 * @property {string} name  of the head
 * @property {import("../widgets/panel.js").Scene["palette"]} palette
 * @property {import("../../charts/heat_map/cells.js").Pointed} pointed
 *
 * @typedef {object} MapBench
 * @property {{set: (change: {cell?: string, rows?: string, cols?: string}, origin?: string) => void}} state
 * @property {{set: (at: import("../../charts/heat_map/cells.js").Pointed) => void}} pointed
 * @property {import("../widgets/panel.js").Bench["remember"]} remember
 */

/**
 * @param {HTMLElement} element
 * @param {MapBench} bench
 */
export function createOutputMap(element, { state, pointed, remember }) {
  const boxes = {
    map: el("div", { class: "matrix" }),
    legend: el("div", { class: "legend" }),
    list: el("div", { class: "attribution-list" }),
  };
  const title = el("h3", { class: "output-title" });
  const axes = axesLine(axesVerb("attribution"));
  const column = el("div", { class: "attribution-map" }, title, axes, boxes.map, boxes.legend);
  /** @type {Part | null} */
  let part = null;
  const cropped = remembering(crop);
  const masking = remembering(maskOf);
  const show = {
    map: mount(boxes.map, matrixView, {
      onPick: (cell, origin) => state.set({ cell: cellText(cell) }, origin),
      onPoint: (place) => pointed.set(place),
      onZoom: (rows, cols) => part && state.set(writeWindow({ rows, cols }, part), "move"),
    }),
    legend: mount(boxes.legend, legendView, {}),
    list: mount(boxes.list, weightsView, { onPick: (cell) => state.set({ cell: cellText(cell) }, "pick") }),
  };

  return {
    /**
     * @param {MapScene} scene
     * @param {Matrix} whole
     */
    show(scene, whole) {
      if (!column.isConnected) fill(element, column, boxes.list);
      const { value, queries, keys, name } = scene;
      const { layer, head, numbering } = value;
      part = scene.part;
      const { rows, cols } = readWindow(value, part);
      const cell = cellOf(value.cell, whole);
      const most = largest(whole.values) || 1;
      title.textContent = `${name} · ${t("weight × gradient")}`;
      show.map({
        ...headShown(scene),
        rows,
        cols,
        ...cell,
        matrix: cropped(whole, rows, cols),
        limits: [-most, most],
        isMasked: masking(part, layer, head),
        thumbnails: remember(part).thumbnails,
      });
      show.legend({ scale: "signed", limits: [-most, most], faint: false, hasMasked: false });
      show.list({ matrix: whole, queries, keys, numbering, ...cell });
    },
    /** @param {import("../../charts/heat_map/cells.js").Pointed} place */
    point(place) {
      show.map.patch((shown) => ({ pointed: placesIn(shown, place) }));
    },
    hide() {
      for (const update of Object.values(show)) update(null);
      element.replaceChildren();
    },
  };
}

/** @param {MapScene} scene */
function headShown({ value, queries, keys, name, palette, pointed }) {
  const { layer, head, numbering } = value;
  return {
    queries,
    keys,
    layer,
    head,
    numbering,
    name,
    stage: /** @type {const} */ ("attribution"),
    pointed: placesIn({ queries, keys }, pointed),
    chosenValue: null,
    paint: palette.scores,
    sheet: null,
  };
}

/** As in the address: "query.key". @param {import("../../charts/heat_map/cells.js").Pointed} cell */
export function cellText({ query, key }) {
  return query === null || key === null ? "" : `${query}.${key}`;
}

/**
 * The chosen cell, or the strongest one.
 * @param {string} text  "query.key", or ""
 * @param {Pick<Matrix, "values" | "height" | "width">} matrix
 * @returns {import("../../charts/heat_map/cells.js").Pointed}
 */
export function cellOf(text, { values, height, width }) {
  const match = /^(\d{1,5})\.(\d{1,5})$/.exec(text);
  const [query, key] = match ? [Number(match[1]), Number(match[2])] : [height, width];
  if (query < height && key < width) return { query, key };
  const [first] = strongest(values, width, 1);
  return first ? { query: first.row, key: first.column } : { query: null, key: null };
}

/**
 * @param {Part} part
 * @param {number} layer
 * @param {number} head
 */
function maskOf(part, layer, head) {
  return maskedIn(mayAttend(part, [{ layer, head }]));
}

/**
 * @param {Matrix} whole
 * @param {Range} rows
 * @param {Range} cols
 */
function crop(whole, rows, cols) {
  return assemble(rows, cols, [whole]);
}
