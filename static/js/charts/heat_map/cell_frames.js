/** The elements of a heat map, and the frames over its cells. */

import { mark } from "../overlay.js";
import { el } from "../../base/dom.js";
import { isOnPaper } from "../../base/theme/paper.js";
import { place } from "./geometry.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{query: number | null, key: number | null, number: number}} Note */

/** The elements of a heat map, bottom first. */
export function mapParts() {
  const hatch = el("div", { class: "matrix-hatch" });
  const cells = el("canvas", { class: "matrix-cells" });
  const axes = el("canvas", { class: "matrix-axes" });
  const rowMark = el("div", { class: "matrix-row-mark" });
  const cellMark = el("div", { class: "matrix-cell-mark" });
  const pointMark = el("div", { class: "matrix-point-mark" });
  const missing = el("div", { class: "matrix-missing-parts" });
  const notes = el("div", { class: "matrix-notes" });
  const box = el("div", { class: "matrix-box", hidden: true });
  const tip = el("div", { class: "matrix-tip", hidden: true, "aria-hidden": "true" });
  const layers = [hatch, cells, missing, axes, rowMark, cellMark, pointMark, notes, box, tip];
  const frame = el(
    "div",
    { class: "matrix-frame", tabindex: 0, role: "application", "aria-describedby": "matrix-keys" },
    ...layers,
  );
  return { hatch, cells, missing, axes, rowMark, cellMark, pointMark, notes, box, tip, frame };
}

/**
 * @typedef {object} Marks
 * @property {number | null} query  the chosen one
 * @property {number | null} key
 * @property {import("./cells.js").Pointed} pointed
 * @property {import("../../base/decode.js").Matrix | null} matrix
 */

const WHOLE = { start: 0, size: 1 };

/**
 * Whether there is nothing of the matrix to draw yet.
 * @param {Pick<import("./heat_map.js").MatrixData, "matrix" | "sheet" | "tiles">} data
 */
export function isPending({ matrix, sheet, tiles }) {
  return matrix === null && sheet === null && !tiles?.length;
}

/**
 * Marks whether there is anything to see and whether it is final: all cells loaded, nothing moving.
 * @param {HTMLElement} frame
 * @param {import("./heat_map.js").MatrixData} data
 * @param {boolean} isMoving
 */
export function markPending(frame, data, isMoving) {
  frame.classList.toggle("is-pending", isPending(data) && !data.missing?.length);
  frame.setAttribute("aria-busy", String(isMoving || (data.matrix === null && !data.missing?.length)));
}

/**
 * Frames the chosen row and cell, and covers cells that could not be loaded.
 * @param {ReturnType<typeof mapParts>} parts
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{rows: Range, cols: Range}} view
 * @param {Pick<Marks, "query" | "key"> & {missing?: readonly {rows: Range, cols: Range}[], notes?: readonly Note[]}} marks
 */
export function markCells(parts, inner, { rows, cols }, { query, key, missing = [], notes = [] }) {
  const row = query === null ? null : place(rows, query);
  mark(parts.rowMark, inner, row, WHOLE);
  mark(parts.cellMark, inner, row, key === null ? null : place(cols, key));
  coverMissing(parts.missing, inner, { rows, cols }, missing);
  numberCells(parts.notes, inner, { rows, cols }, notes);
}

/**
 * Frames the hovered row, column or cell.
 * @param {ReturnType<typeof mapParts>} parts
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{rows: Range, cols: Range}} view
 * @param {Pick<Marks, "pointed" | "matrix">} marks
 */
export function markPointed(parts, inner, { rows, cols }, { pointed, matrix }) {
  const isCell = pointed.query !== null && pointed.key !== null;
  const pooled = isCell ? matrix : null;
  const down = pointed.query === null ? WHOLE : span(rows, pointed.query, pooled?.rows[0], pooled?.cellRows);
  const across = pointed.key === null ? WHOLE : span(cols, pointed.key, pooled?.cols[0], pooled?.cellCols);
  const isAnything = pointed.query !== null || pointed.key !== null;
  mark(parts.pointMark, inner, isAnything ? down : null, across);
}

/**
 * @param {HTMLElement} element
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{rows: Range, cols: Range}} view
 * @param {readonly {rows: Range, cols: Range}[]} missing
 */
function coverMissing(element, inner, view, missing) {
  const parts = childrenOf(element, missing.length, () => el("div", { class: "matrix-missing" }));
  missing.forEach(({ rows, cols }, index) => {
    const down = place(view.rows, rows[0], rows[1] - rows[0]);
    mark(parts[index], inner, down, place(view.cols, cols[0], cols[1] - cols[0]));
  });
}

/**
 * @param {HTMLElement} element
 * @param {{left: number, top: number, width: number, height: number}} inner
 * @param {{rows: Range, cols: Range}} view
 * @param {readonly Note[]} notes
 */
function numberCells(element, inner, view, notes) {
  const parts = childrenOf(element, notes.length, () =>
    el("div", { class: "matrix-note" }, el("span", { class: "matrix-note-number" })),
  );
  notes.forEach(({ query, key, number }, index) => {
    const down = query === null ? null : place(view.rows, query);
    mark(parts[index], inner, down, key === null ? null : place(view.cols, key));
    /** @type {HTMLElement} */ (parts[index].firstElementChild).textContent = String(number);
  });
}

/** @param {HTMLElement} element @param {number} count @param {() => HTMLElement} make @returns {HTMLElement[]}  so many */
function childrenOf(element, count, make) {
  const { children } = element;
  while (children.length > count) element.lastElementChild?.remove();
  while (children.length < count) element.append(make());
  return /** @type {HTMLElement[]} */ ([...children]);
}

/**
 * The whole cell that a token is in.
 * @param {Range} range
 * @param {number} token
 * @param {number} [first]  where cells begin
 * @param {number} [cell]  tokens in one
 */
function span(range, token, first = 0, cell = 1) {
  return place(range, first + Math.floor((token - first) / cell) * cell, cell);
}

/**
 * Resizes a canvas (in CSS pixels), clears it, and scales it for this screen's pixel ratio.
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number}} size
 * @param {number} ratio
 * @returns {CanvasRenderingContext2D}
 */
export function sized(canvas, { width, height }, ratio) {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const target = canvas.getContext("2d");
  if (!target) throw new Error("this browser has no 2d canvas");
  // A page is printed as it was drawn: a rectangle cleared would take away what lies under the canvas, too.
  if (canvas.width !== across || canvas.height !== down || isOnPaper()) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    return target;
  }
  target.setTransform(1, 0, 0, 1, 0, 0);
  target.clearRect(0, 0, across, down);
  return target;
}
