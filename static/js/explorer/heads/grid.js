/** Every head of every layer as a small picture, on one canvas under a grid of buttons. */

import { MARK_SIGNS, markName, markOf } from "../state/changed_heads.js";
import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { headName } from "../../wording/labels.js";
import { context, copyPicture } from "../../charts/thumbnail_sheet.js";

/** @typedef {import("../state/changed_heads.js").ChangedHeads} ChangedHeads */
/** @typedef {import("../../api/types.js").Pictures} Pictures */

/**
 * @typedef {object} GridData
 * @property {Pictures} pictures
 * @property {HTMLCanvasElement} sheet  all of them, painted
 * @property {number} layer  the chosen one
 * @property {number} head
 * @property {string} beside  further heads chosen, as in the URL
 * @property {ChangedHeads} changed  heads that are marked
 * @property {0 | 1} numbering
 * @property {string} metricTitle
 * @property {number[][] | null} metricValues  written under each picture
 * @property {boolean} sorted  largest metric first
 */

/** @typedef {{layer: number, head: number}} HeadAt */
/** @typedef {Pick<GridData, "metricValues" | "sorted"> & {pictures: Pick<Pictures, "layers" | "heads">}} Ordered */

/**
 * @param {HTMLElement} element
 * @param {GridData} data
 * @param {{onPick: (at: HeadAt, beside: boolean) => void, onPoint: (at: HeadAt | null) => void}} options
 * @returns {import("../../api/types.js").View<GridData>}
 */
export function gridView(element, data, { onPick, onPoint }) {
  const canvas = el("canvas", { class: "grid-canvas", "aria-hidden": "true" });
  const table = el("div", { class: "grid", role: "grid", "aria-label": t("Heads by layer") });
  const frame = el("div", { class: "grid-frame" }, canvas, table);
  const legend = el("p", { class: "note grid-legend" });
  fill(element, frame, legend);

  let current = data;
  /** @type {HeadAt[]} in the order shown */
  let order = [];
  /** @type {HTMLButtonElement[]} */
  let cells = [];
  const watcher = new ResizeObserver(() => paint());

  build();
  watcher.observe(frame);
  table.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index >= 0) onPick(order[index], event.shiftKey || event.ctrlKey || event.metaKey);
  });
  table.addEventListener("keydown", onKey);
  table.addEventListener("pointerover", (event) => onPoint(order[indexOf(event.target)] ?? null));
  table.addEventListener("pointerleave", () => onPoint(null));
  table.addEventListener("focusin", (event) => onPoint(order[indexOf(event.target)] ?? null));
  table.addEventListener("focusout", () => onPoint(null));

  /** @param {EventTarget | null} target */
  function indexOf(target) {
    const cell = target instanceof Element ? target.closest("button") : null;
    return cell ? cells.indexOf(cell) : -1;
  }

  function build() {
    const { heads } = current.pictures;
    order = headOrder(current);
    cells = order.map(cellOf);
    table.style.setProperty("--heads", String(heads));
    table.classList.toggle("is-sorted", current.sorted);
    const rows = Array.from({ length: current.pictures.layers }, (_, row) => {
      const name = current.sorted ? "" : String(row + current.numbering);
      const header = el("span", { class: "grid-layer", role: "rowheader" }, name);
      return el("div", { class: "grid-row", role: "row" }, header, ...cells.slice(row * heads, (row + 1) * heads));
    });
    fill(table, headerRow(), ...rows);
    select();
    markChanged();
    paint();
  }

  /** What the marks mean that stand in the grid. */
  function drawLegend() {
    const found = new Set(current.changed.values());
    const said = /** @type {const} */ (["off", "changed"]).filter((mark) => found.has(mark));
    fill(
      legend,
      ...said.map((mark) =>
        el(
          "span",
          {},
          el("span", { class: "head-mark", "aria-hidden": "true" }, MARK_SIGNS[mark]),
          ` ${markName(mark)}`,
        ),
      ),
    );
    legend.hidden = said.length === 0;
  }

  function headerRow() {
    const { heads } = current.pictures;
    const corner = el("span", { class: "grid-corner", role: "columnheader" }, current.sorted ? "" : t("layer"));
    const names = Array.from({ length: heads }, (_, head) =>
      el("span", { class: "grid-head", role: "columnheader" }, current.sorted ? "" : String(head + current.numbering)),
    );
    return el(
      "div",
      { class: "grid-row", role: "row", "aria-hidden": current.sorted ? "true" : null },
      corner,
      ...names,
    );
  }

  /** @param {HeadAt} at */
  function cellOf({ layer, head }) {
    const { metricTitle, metricValues, numbering, sorted } = current;
    const value = metricValues ? metricValues[layer][head] : null;
    const name = headName(layer, head, numbering);
    const measured = value === null ? "" : `, ${metricTitle}`;
    return el(
      "button",
      { type: "button", role: "gridcell", class: "grid-cell" },
      el("span", { class: "visually-hidden" }, name, el("span", { class: "grid-mark-name" }), measured),
      el("span", { class: "grid-picture" }),
      el("span", { class: "head-mark", "aria-hidden": "true", hidden: true }),
      sorted &&
        metricValues &&
        el("span", { class: "grid-name", "aria-hidden": "true" }, `${layer + numbering}·${head + numbering}`),
      value !== null && el("span", { class: "grid-value" }, shortValue(value)),
    );
  }

  /** Marks heads that were changed: the buttons stay, with the focus on one of them. */
  function markChanged() {
    const { changed } = current;
    cells.forEach((cell, index) => {
      const mark = markOf(changed, order[index]);
      cell.classList.toggle("is-off", mark === "off");
      const sign = need(cell, ".head-mark");
      sign.hidden = mark === null;
      sign.textContent = mark ? MARK_SIGNS[mark] : "";
      need(cell, ".grid-mark-name").textContent = mark ? `, ${markName(mark)}` : "";
    });
    drawLegend();
  }

  function select() {
    const beside = new Set(current.beside.split("_"));
    cells.forEach((cell, index) => {
      cell.classList.toggle("is-beside", beside.has(`${order[index].layer}.${order[index].head}`));
      const chosen = order[index].layer === current.layer && order[index].head === current.head;
      cell.setAttribute("aria-selected", String(chosen));
      cell.tabIndex = chosen ? 0 : -1;
    });
    if (!cells.some((cell) => cell.tabIndex === 0) && cells.length > 0) cells[0].tabIndex = 0;
  }

  function paint() {
    const ratio = devicePixelRatio || 1;
    const { offsetWidth: width, offsetHeight: height } = table;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const target = context(canvas);
    const places = cells.map((cell) => [cell.offsetLeft, cell.offsetTop, cell.offsetWidth]);
    places.forEach(([left, top, side], index) => {
      const x = Math.round(left * ratio);
      const y = Math.round(top * ratio);
      const size = Math.round(side * ratio);
      copyPicture(target, current.sheet, current.pictures, order[index], { x, y, width: size, height: size });
    });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = indexOf(event.target);
    const { heads } = current.pictures;
    const column = index % heads;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowRight: column < heads - 1 ? index + 1 : index,
      ArrowLeft: column > 0 ? index - 1 : index,
      ArrowDown: index + heads,
      ArrowUp: index - heads,
      Home: event.ctrlKey ? 0 : index - column,
      End: event.ctrlKey ? cells.length - 1 : index - column + heads - 1,
    };
    const next = cells[moves[event.key] ?? -1];
    if (index < 0 || !(event.key in moves)) return;
    event.preventDefault();
    if (!next) return;
    cells[index].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const repainted = next.sheet !== before.sheet;
      const rebuilt =
        next.pictures.layers !== before.pictures.layers ||
        next.pictures.heads !== before.pictures.heads ||
        next.numbering !== before.numbering ||
        next.metricValues !== before.metricValues ||
        next.sorted !== before.sorted;
      if (rebuilt) build();
      else select();
      if (!rebuilt && next.changed !== before.changed) markChanged();
      if (repainted && !rebuilt) paint();
    },
    destroy() {
      watcher.disconnect();
      element.replaceChildren();
    },
  };
}

/**
 * @param {Ordered} data
 * @returns {HeadAt[]}
 */
export function headOrder({ pictures, metricValues, sorted }) {
  const all = Array.from({ length: pictures.layers * pictures.heads }, (_, index) => ({
    layer: Math.floor(index / pictures.heads),
    head: index % pictures.heads,
  }));
  if (!metricValues || !sorted) return all;
  const value = (/** @type {HeadAt} */ at) => metricValues[at.layer][at.head];
  return all.sort((one, other) => value(other) - value(one));
}

/**
 * Three signs at most, so that it fits under a picture: .71, 1.3, 12.
 * @param {number} value
 * @returns {string}
 */
export function shortValue(value) {
  if (Math.abs(value) < 0.995) return value.toFixed(2).replace(/^(-?)0\./, "$1.");
  return value.toFixed(Math.abs(value) < 9.95 ? 1 : 0);
}
