/** Thumbnails of every head of every layer, on one canvas under a grid of buttons. */

import { MARK_SIGNS, markName, markOf } from "../state/changes/changed_heads.js";
import { el, fill, need } from "../../base/dom.js";
import { createHeadGrid } from "../../charts/head_grid.js";
import { indexOfHead } from "../state/head_list.js";
import { t } from "../../base/i18n.js";
import { changes, drawnView } from "../../base/mount.js";
import { whenSized } from "../../base/theme/paper.js";
import { headCode, headName } from "../../wording/labels.js";
import { context, copyThumbnail } from "../../charts/thumbnail_sheet.js";

/** @typedef {import("../state/changes/changed_heads.js").ChangedHeads} ChangedHeads */
/** @typedef {import("../../base/decode.js").Thumbnails} Thumbnails */

/**
 * @typedef {object} GridData
 * @property {Thumbnails} thumbnails
 * @property {HTMLCanvasElement} sheet  all of them, painted
 * @property {number} layer  the chosen one
 * @property {number} head
 * @property {string} beside  further heads chosen, as in the URL
 * @property {ChangedHeads} changed  heads that are marked
 * @property {Set<string> | null} kept  heads that the filter lets through, as "layer.head"; null for all
 * @property {0 | 1} numbering
 * @property {string} metricTitle
 * @property {number[][] | null} metricValues  written under each thumbnail
 * @property {boolean} sorted  largest metric first
 */

/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {Pick<GridData, "metricValues" | "sorted"> & {thumbnails: Pick<Thumbnails, "layers" | "heads">}} Ordered */

/**
 * @param {HTMLElement} element
 * @param {GridData} data
 * @param {{onPick: (at: HeadAt, beside: boolean) => void, onPoint: (at: HeadAt | null) => void, legend: HTMLElement}} options
 * @returns {import("../../base/mount.js").View<GridData>}
 */
export function gridView(element, data, { onPick, onPoint, legend }) {
  const canvas = el("canvas", { class: "grid-canvas", "aria-hidden": "true" });
  const table = el("div", { class: "grid", "aria-label": t("Heads by layer") });
  const frame = el("div", { class: "grid-frame" }, canvas, table);
  fill(element, frame);
  /** @type {HeadAt[]} in the order shown */
  let order = [];
  /** @type {GridData | null} */
  let current = null;
  const grid = createHeadGrid(table, {
    onPick: (index, event) => onPick(order[index], event.shiftKey || event.ctrlKey || event.metaKey),
    onPoint: (index) => onPoint(index === null ? null : order[index]),
  });
  const stopSizing = whenSized(frame, () => current && paint(canvas, table, grid.cells(), order, current));

  /** @param {GridData} next */
  function draw(next) {
    const { thumbnails, numbering, sorted } = next;
    const differs = changes(current, next);
    const isOther = current?.thumbnails.layers !== thumbnails.layers || current.thumbnails.heads !== thumbnails.heads;
    const isRebuilt = isOther || differs("numbering", "metricValues", "sorted");
    current = next;
    if (isRebuilt) {
      order = headOrder(next);
      const numbers = (/** @type {number} */ count) =>
        Array.from({ length: count }, (_, index) => (sorted ? "" : String(index + numbering)));
      table.classList.toggle("is-sorted", sorted);
      grid.build(
        {
          corner: sorted ? "" : t("layer"),
          isUnnamed: sorted,
          layers: numbers(thumbnails.layers),
          heads: numbers(thumbnails.heads),
        },
        order.map((head) => cellOf(head, next)),
      );
    }
    const beside = new Set(next.beside.split("_"));
    grid.cells().forEach((cell, index) => {
      cell.classList.toggle("is-beside", beside.has(`${order[index].layer}.${order[index].head}`));
      const isKept = next.kept === null || next.kept.has(`${order[index].layer}.${order[index].head}`);
      cell.classList.toggle("is-dimmed", !isKept);
      if (isRebuilt || differs("changed", "kept")) markCell(cell, markOf(next.changed, order[index]), isKept);
    });
    grid.select(indexOfHead(order, next));
    if (isRebuilt || differs("changed")) drawLegend(legend, next.changed);
    if (isRebuilt || differs("sheet")) paint(canvas, table, grid.cells(), order, next);
  }

  return drawnView(element, data, draw, stopSizing);
}

/**
 * @param {HeadAt} at
 * @param {GridData} data
 */
function cellOf({ layer, head }, { metricTitle, metricValues, numbering, sorted }) {
  const value = metricValues ? metricValues[layer][head] : null;
  const name = headName(layer, head, numbering);
  const measured = value === null ? "" : `, ${metricTitle}`;
  return el(
    "button",
    { type: "button", role: "gridcell", class: "grid-cell" },
    el("span", { class: "visually-hidden" }, name, el("span", { class: "grid-mark-name" }), measured),
    el("span", { class: "grid-picture" }),
    el("span", { class: "head-mark", "aria-hidden": "true", hidden: true }),
    sorted && metricValues && nameUnder(headCode(layer, head, numbering)),
    value !== null && el("span", { class: "grid-value" }, shortValue(value)),
  );
}

/**
 * A head's name under its thumbnail, in one line or, where that is too narrow, in two.
 * @param {string} name
 */
function nameUnder(name) {
  const [layer, head] = name.split(" ");
  return el("span", { class: "grid-name", "aria-hidden": "true" }, el("span", {}, layer), " ", el("span", {}, head));
}

/**
 * Updates the mark of a changed head; the button, and its focus, stays.
 * @param {HTMLElement} cell
 * @param {ReturnType<typeof markOf>} mark
 * @param {boolean} isKept
 */
function markCell(cell, mark, isKept) {
  cell.classList.toggle("is-off", mark === "off");
  const sign = need(cell, ".head-mark");
  sign.hidden = mark === null;
  sign.textContent = mark ? MARK_SIGNS[mark] : "";
  need(cell, ".grid-mark-name").textContent =
    (mark ? `, ${markName(mark)}` : "") + (isKept ? "" : `, ${t("filtered out")}`);
}

/**
 * The meaning of the marks in the grid.
 * @param {HTMLElement} legend
 * @param {ChangedHeads} changed
 */
function drawLegend(legend, changed) {
  const marks = new Set(changed.values());
  const said = /** @type {const} */ (["off", "changed"]).filter((mark) => marks.has(mark));
  const sign = (/** @type {typeof said[number]} */ mark) =>
    el("span", { class: "head-mark", "aria-hidden": "true" }, MARK_SIGNS[mark]);
  fill(legend, ...said.map((mark) => el("span", {}, sign(mark), ` ${markName(mark)}`)));
  legend.hidden = said.length === 0;
}

/**
 * Copies every head's thumbnail under its button.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} table
 * @param {HTMLElement[]} cells
 * @param {HeadAt[]} order
 * @param {GridData} data
 */
function paint(canvas, table, cells, order, { sheet, thumbnails }) {
  const ratio = devicePixelRatio || 1;
  const { offsetWidth: width, offsetHeight: height } = table;
  if (width === 0) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const target = context(canvas);
  const places = cells.map((cell) => [cell.offsetLeft, cell.offsetTop, cell.offsetWidth]);
  places.forEach((place, index) => {
    const [x, y, side] = place.map((pixels) => Math.round(pixels * ratio));
    copyThumbnail(target, sheet, thumbnails, order[index], { x, y, width: side, height: side });
  });
}

/**
 * @param {Ordered} data
 * @returns {HeadAt[]}
 */
export function headOrder({ thumbnails, metricValues, sorted }) {
  const heads = Array.from({ length: thumbnails.layers * thumbnails.heads }, (_, index) => ({
    layer: Math.floor(index / thumbnails.heads),
    head: index % thumbnails.heads,
  }));
  if (!metricValues || !sorted) return heads;
  const value = (/** @type {HeadAt} */ { layer, head }) => metricValues[layer][head];
  return heads.sort((a, b) => value(b) - value(a));
}

/**
 * At most three characters, so that it fits under a thumbnail: .71, 1.3, 12.
 * @param {number} value
 * @returns {string}
 */
export function shortValue(value) {
  if (Math.abs(value) < 0.995) return value.toFixed(2).replace(/^(-?)0\./, "$1.");
  return value.toFixed(Math.abs(value) < 9.95 ? 1 : 0);
}
