/** One head as a heat map: a picture at once, then the exact numbers, with zoom down to single cells. */

import { el, fill } from "../dom.js";
import { mark, setBox } from "../boxes.js";
import { cellText } from "../cell_text.js";
import { axisLabels, moveOf } from "../cells.js";
import { include, place, plotSize, snap, zoom } from "../geometry.js";
import { t } from "../i18n.js";
import { stageName } from "../labels.js";
import { context, copyPicture } from "../pictures.js";
import { createHeatmap, loadPlotly } from "../plot.js";
import { plotScale } from "../color.js";

/** @typedef {import("../types.js").Matrix} Matrix */
/** @typedef {import("../types.js").Pointed} Pointed */
/** @typedef {import("../types.js").Range} Range */
/** @typedef {import("../types.js").Token} Token */

/**
 * @typedef {object} MatrixData
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {import("../types.js").Stage | "difference"} stage
 * @property {string} name  of the head
 * @property {Range} rows  queries in view
 * @property {Range} cols  keys in view
 * @property {number | null} query
 * @property {number | null} key
 * @property {Pointed} pointed
 * @property {0 | 1} numbering
 * @property {number | null} chosenValue  of the chosen cell, where it is known although the matrix is pooled
 * @property {Matrix | null} matrix  null while it is fetched
 * @property {[number, number]} limits  values at the ends of the colour scale
 * @property {number} layer
 * @property {number} head
 * @property {import("../types.js").Pictures} pictures
 * @property {HTMLCanvasElement | null} sheet  painted pictures to show meanwhile; null where they would say something else
 * @property {Paint} paint
 */

/**
 * @typedef {object} Paint  colours of the theme; a new object when they change
 * @property {import("../color.js").Rgb[]} stops
 * @property {(share: number) => number} emphasis
 * @property {string} query
 * @property {string} key
 */

/**
 * @typedef {object} MatrixOptions
 * @property {string} plotlyUrl
 * @property {(at: Pointed, origin: "pick" | "move") => void} onPick
 * @property {(at: Pointed) => void} onPoint
 * @property {(rows: Range, cols: Range) => void} onZoom
 */

const LABEL_SIZE = 12;
const PLOT_HEIGHT = { least: 320, most: 640 };
/** What stands above and below the plot on a screen that shows it whole. */
const SURROUNDINGS = 420;
const MARGIN = { least: 30, most: 104 };

/**
 * @param {HTMLElement} element
 * @param {MatrixData} data
 * @param {MatrixOptions} options
 * @returns {import("../types.js").View<MatrixData>}
 */
export function matrixView(element, data, options) {
  const hatch = el("div", { class: "matrix-hatch" });
  const target = el("div", { class: "matrix-plot" });
  const preview = el("canvas", { class: "matrix-preview" });
  const rowMark = el("div", { class: "matrix-row-mark" });
  const cellMark = el("div", { class: "matrix-cell-mark" });
  const pointMark = el("div", { class: "matrix-point-mark" });
  const tip = el("div", { class: "matrix-tip", hidden: true, "aria-hidden": "true" });
  const frame = el(
    "div",
    { class: "matrix-frame", tabindex: 0, role: "application", "aria-describedby": "matrix-keys" },
    ...[hatch, target, preview, rowMark, cellMark, pointMark, tip],
  );
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  fill(element, frame, readout, problem);

  let current = data;
  let isGone = false;
  /** @type {ReturnType<typeof createHeatmap> | null} */
  let heatmap = null;
  /** What the plot shows, so that it is drawn only when that changes. */
  let drawn = "";
  /** @type {MatrixData["paint"] | null} */
  let drawnPaint = null;
  /** @type {Matrix | null} */
  let drawnMatrix = null;
  const ruler = context(document.createElement("canvas"));
  const watcher = new ResizeObserver(() => draw());

  watcher.observe(element);
  frame.addEventListener("keydown", onKey);
  frame.addEventListener("pointermove", moveTip);
  draw();
  void prepare();

  async function prepare() {
    try {
      const plotly = await loadPlotly(options.plotlyUrl);
      if (isGone) return;
      heatmap = createHeatmap(plotly, target, {
        onHover: (query, key) => options.onPoint({ query, key }),
        onLeave: () => options.onPoint({ query: null, key: null }),
        onClick: (query, key) => options.onPick({ query, key }, "pick"),
        onZoom: (rows, cols) => options.onZoom(snap(rows, current.queries.length), snap(cols, current.keys.length)),
        onReset: () => options.onZoom([0, current.queries.length], [0, current.keys.length]),
      });
      draw();
    } catch (error) {
      if (!(error instanceof Error) || isGone) throw error;
      problem.textContent = t(
        "The plotting library could not be loaded: the picture has no axes and cannot be zoomed.",
      );
      problem.hidden = false;
    }
  }

  function geometry() {
    const { rows, cols, queries, keys, paint } = current;
    const font = getComputedStyle(element).fontFamily;
    ruler.font = `${LABEL_SIZE}px ${font}`;
    const margins = {
      left: margin(queries, rows),
      top: margin(keys, cols),
      right: 6,
      bottom: 6,
    };
    const room = element.clientWidth - margins.left - margins.right;
    const plot = plotSize(rows[1] - rows[0], cols[1] - cols[0], Math.max(room, 80), Math.min(mostHeight(), room));
    return {
      plot,
      margins,
      width: plot.width + margins.left + margins.right,
      height: plot.height + margins.top + margins.bottom,
      type: { font, size: LABEL_SIZE, row: paint.query, col: paint.key },
    };
  }

  /**
   * Room for the labels of one side.
   * @param {Token[]} tokens
   * @param {Range} range
   */
  function margin(tokens, range) {
    const { text } = axisLabels(tokens, range, mostHeight(), current.numbering);
    const widest = text.reduce((most, label) => Math.max(most, ruler.measureText(label).width), 0);
    return Math.ceil(Math.min(Math.max(widest + 12, MARGIN.least), MARGIN.most));
  }

  function draw() {
    if (isGone || element.clientWidth === 0) return;
    const shape = geometry();
    setBox(frame, { width: shape.width, height: shape.height });
    const inner = { left: shape.margins.left, top: shape.margins.top, ...shape.plot };
    for (const part of [hatch, preview]) setBox(part, inner);
    drawMarks(inner);
    drawText();
    frame.setAttribute(
      "aria-label",
      t("{head}: {stage} as a matrix", { head: current.name, stage: stageName(current.stage) }),
    );
    frame.classList.toggle("is-pending", current.matrix === null && current.sheet === null);
    if (!heatmap || !current.matrix) drawPreview(shape.plot);
    else drawPlot(shape);
  }

  /** @param {{width: number, height: number}} plot */
  function drawPreview({ width, height }) {
    preview.hidden = current.sheet === null;
    if (!current.sheet) return;
    const ratio = devicePixelRatio || 1;
    preview.width = Math.round(width * ratio);
    preview.height = Math.round(height * ratio);
    const { sheet, pictures, layer, head } = current;
    const box = { x: 0, y: 0, width: preview.width, height: preview.height };
    copyPicture(context(preview), sheet, pictures, { layer, head }, box);
  }

  /** @param {ReturnType<typeof geometry>} shape */
  function drawPlot(shape) {
    const { matrix, rows, cols, limits, paint, numbering } = current;
    const key = JSON.stringify([rows, cols, limits, shape, numbering]);
    if (!matrix || !heatmap) return;
    if (key === drawn && matrix === drawnMatrix && paint === drawnPaint) {
      preview.hidden = true;
      return;
    }
    [drawn, drawnMatrix, drawnPaint] = [key, matrix, paint];
    void heatmap
      .draw({
        matrix,
        rows,
        cols,
        limits,
        rowLabels: axisLabels(current.queries, rows, shape.plot.height, numbering),
        colLabels: axisLabels(current.keys, cols, shape.plot.width, numbering),
        scale: plotScale(paint.stops, paint.emphasis),
        margins: shape.margins,
        width: shape.width,
        height: shape.height,
        type: shape.type,
        drag: matchMedia("(pointer: fine)").matches,
      })
      .then(() => {
        if (current.matrix === matrix) preview.hidden = true;
      });
  }

  /** @param {{left: number, top: number, width: number, height: number}} inner */
  function drawMarks(inner) {
    const { query, key, pointed, rows, cols } = current;
    mark(rowMark, inner, query === null ? null : place(rows, query), { start: 0, size: 1 });
    mark(cellMark, inner, query === null ? null : place(rows, query), key === null ? null : place(cols, key));
    const size = current.matrix ?? { cellRows: 1, cellCols: 1 };
    const down = pointed.query === null ? null : place(rows, pointed.query, pointed.key === null ? 1 : size.cellRows);
    const across = pointed.key === null ? null : place(cols, pointed.key, pointed.query === null ? 1 : size.cellCols);
    const whole = { start: 0, size: 1 };
    const isAnything = pointed.query !== null || pointed.key !== null;
    mark(
      pointMark,
      inner,
      isAnything ? (pointed.query === null ? whole : down) : null,
      pointed.key === null ? whole : across,
    );
  }

  function drawText() {
    const { pointed, query, key } = current;
    const isCell = pointed.query !== null && pointed.key !== null;
    tip.hidden = !isCell;
    if (isCell)
      fill(tip, ...cellText(current, /** @type {number} */ (pointed.query), /** @type {number} */ (pointed.key)));
    if (query !== null && key !== null) fill(readout, ...cellText(current, query, key, current.chosenValue));
    else fill(readout, t("Pick a cell to keep its number here."));
  }

  /** @param {PointerEvent} event */
  function moveTip(event) {
    const box = frame.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    tip.style.left = `${Math.min(x + 14, Math.max(0, box.width - 190))}px`;
    tip.style.top = `${y + 18}px`;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { queries, keys, rows, cols } = current;
    const query = current.query ?? rows[0];
    const key = current.key ?? cols[0];
    const at = moveOf(event.key, { query, key }, { queries: queries.length, keys: keys.length });
    if (event.key === "Escape") options.onZoom([0, queries.length], [0, keys.length]);
    else if (event.key === "+" || event.key === "-") {
      const factor = event.key === "+" ? 0.5 : 2;
      options.onZoom(zoom(rows, factor, query, queries.length), zoom(cols, factor, key, keys.length));
    } else if (at) {
      options.onPick(at, "move");
      options.onZoom(include(rows, at.query), include(cols, at.key));
    } else return;
    event.preventDefault();
  }

  return {
    update(next) {
      current = next;
      draw();
    },
    destroy() {
      isGone = true;
      watcher.disconnect();
      heatmap?.destroy();
      element.replaceChildren();
    },
  };
}

function mostHeight() {
  return Math.min(Math.max(innerHeight - SURROUNDINGS, PLOT_HEIGHT.least), PLOT_HEIGHT.most);
}
