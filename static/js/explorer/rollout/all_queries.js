/** The rollout of all queries after one layer, as a heat map. */

import { el, fill } from "../../base/dom.js";
import { axesLine } from "../widgets/axes_line.js";
import { MAX_CELLS } from "../../charts/heat_map/geometry.js";
import { t } from "../../base/i18n.js";
import { remembering } from "../../base/memoise.js";
import { matrixMaxima, scaleFor, scaleNote } from "../../charts/heat_map/auto_scale.js";
import { poolWindow } from "./rows.js";
import { legendView } from "../../charts/heat_map/legend.js";
import { matrixView } from "../../charts/heat_map/heat_map.js";
import { drawnView, mount } from "../../base/mount.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} WholeRolloutData
 * @property {Matrix | null} matrix  tokens × tokens; null while it is fetched
 * @property {string} obstacle  why there is none; "" where there is
 * @property {Token[]} tokens
 * @property {number} layer
 * @property {0 | 1} numbering
 * @property {Range} rows  in view
 * @property {Range} cols
 * @property {number | null} query
 * @property {number | null} key
 * @property {import("../../charts/heat_map/cells.js").Pointed} pointed
 * @property {import("../../charts/heat_map/auto_scale.js").Wanted} faint
 * @property {import("./rollout.js").Paints} paints
 * @property {import("../../charts/heat_map/cell_text.js").IsMasked} isMasked
 */

/** What a matrix needs to show meanwhile; here there is nothing. */
const NO_THUMBNAILS = { bytes: new Uint8Array(0), layers: 0, heads: 0, height: 0, width: 0 };

/**
 * @param {HTMLElement} element
 * @param {WholeRolloutData} data
 * @param {import("../../charts/heat_map/heat_map.js").MatrixOptions} options
 * @returns {import("../../base/mount.js").View<WholeRolloutData>}
 */
export function wholeRolloutView(element, data, options) {
  const heading = el("h3", { class: "rollout-heading" });
  const note = el("p", { class: "note" });
  const axes = axesLine(` ${t("is a mixture of")} `, t("input token →"));
  const map = el("div", { class: "matrix" });
  const legend = el("div", { class: "legend" });
  fill(element, heading, note, axes, map, legend);
  const show = mount(map, matrixView, options);
  const showLegend = mount(legend, legendView, {});
  const windowed = remembering(windowOf);
  const maxima = remembering((/** @type {Matrix | null} */ matrix) => (matrix ? matrixMaxima(matrix) : []));

  /** @param {WholeRolloutData} next */
  function draw(next) {
    const { matrix, obstacle, layer, numbering, rows, cols, faint, paints } = next;
    const isShown = obstacle === "";
    heading.textContent = t("All queries after layer {layer}", { layer: layer + numbering });
    note.textContent = obstacle;
    note.hidden = isShown;
    axes.hidden = map.hidden = !isShown;
    if (!isShown) return drawNone();
    const scale = scaleFor(faint, maxima(matrix));
    const limits = /** @type {[number, number]} */ ([0, scale.end]);
    show({
      ...cellsOf(next),
      name: heading.textContent,
      limits,
      paint: paints[scale.isFaint ? "faint" : "plain"],
      matrix: matrix && windowed(matrix, rows, cols),
    });
    const said = faint === "" ? scaleNote(scale) : "";
    showLegend({ scale: "weight", limits, faint: scale.isFaint, hasMasked: false, note: said });
  }

  function drawNone() {
    show(null);
    showLegend(null);
  }

  return drawnView(element, data, draw, drawNone);
}

/**
 * Which cells there are, and which of them are chosen or pointed at.
 * @param {WholeRolloutData} data
 */
function cellsOf({ matrix, tokens, layer, numbering, rows, cols, query, key, pointed, isMasked }) {
  return {
    queries: tokens,
    keys: tokens,
    stage: /** @type {const} */ ("rollout"),
    layer,
    head: 0,
    rows,
    cols,
    query,
    key,
    pointed,
    numbering,
    isMasked,
    chosenValue: matrix && query !== null && key !== null ? matrix.values[query * matrix.width + key] : null,
    thumbnails: NO_THUMBNAILS,
    sheet: null,
  };
}

/**
 * What is in view, of no more cells than can be told apart.
 * @param {Matrix} matrix
 * @param {Range} rows
 * @param {Range} cols
 * @returns {Matrix}
 */
function windowOf(matrix, rows, cols) {
  const isSmall = Math.max(matrix.height, matrix.width) <= MAX_CELLS;
  return isSmall ? matrix : poolWindow(matrix.values, matrix.width, { rows, cols }, MAX_CELLS);
}
