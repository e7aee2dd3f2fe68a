/** Heat map of one head on a canvas, redrawn within one animation frame even while moving. */

import { fill, el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { differs } from "../../base/mount.js";
import { isOnPaper } from "../../base/theme/paper.js";
import { perFrame } from "../../base/once_per_frame.js";
import { stageName } from "../../wording/labels.js";
import { isPending, markCells, markPending, markPointed } from "./cell_frames.js";
import { cellText } from "./cell_text.js";
import { shapeOf } from "./layout.js";
import { createMapFrame } from "./map_frame.js";
import { createMovableWindow } from "./movable_window.js";
import { drawSheet, drawTiles } from "./tile_painter.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("./cells.js").Pointed} Pointed */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} MatrixData
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {import("../../api/types.js").Stage | "difference" | "attribution" | "rollout" | "mean" | "deviation"} stage
 * @property {string} name  of the head
 * @property {Range} rows  queries in view
 * @property {Range} cols  keys in view
 * @property {number | null} query
 * @property {number | null} key
 * @property {Pointed} pointed
 * @property {0 | 1} numbering
 * @property {number | null} chosenValue  of the chosen cell, where it is known although the matrix is pooled
 * @property {Matrix | null} matrix  null while it is fetched
 * @property {Matrix[]} [tiles]  tiles already loaded
 * @property {{rows: Range, cols: Range}[]} [missing]  ranges that could not be loaded
 * @property {{query: number | null, key: number | null, number: number}[]} [notes]  numbered cells
 * @property {[number, number]} limits  values at the ends of the colour scale
 * @property {number} layer
 * @property {number} head
 * @property {import("../../base/decode.js").Thumbnails} thumbnails
 * @property {HTMLCanvasElement | null} sheet  painted thumbnails to show meanwhile; null if they do not apply
 * @property {Paint} paint
 * @property {import("./cell_text.js").IsMasked} [isMasked]
 * @property {(value: number) => [string, string]} [says]  see `cell_text.js`
 */

/**
 * @typedef {object} Paint  colours of the theme; a new object when they change
 * @property {import("../../base/theme/color.js").Rgb[]} stops
 * @property {(share: number) => number} emphasis
 * @property {string} query
 * @property {string} key
 */

/**
 * @typedef {object} MatrixOptions
 * @property {(at: Pointed, origin: "pick" | "move") => void} onPick
 * @property {(at: Pointed) => void} onPoint
 * @property {(rows: Range, cols: Range) => void} onZoom
 */

/**
 * @param {HTMLElement} element
 * @param {MatrixData} data
 * @param {MatrixOptions} options
 * @returns {import("../../base/mount.js").View<MatrixData>}
 */
export function matrixView(element, data, options) {
  let current = data;
  let shape = shapeOf(element, data);
  /** Whether it moved since the last paint; it is painted at most once per frame. */
  let isStale = false;
  let isGone = false;
  const repaint = perFrame(() => isStale && !isGone && paint());
  const view = createMovableWindow(placeOf(data), {
    onMove() {
      const { rows, cols } = view.settled();
      isStale = true;
      options.onZoom(rows, cols);
      repaint();
    },
    onRest: draw,
  });
  const map = createMapFrame(element, view, {
    draw,
    chosen: () => current,
    onPoint: (cell) => options.onPoint(isCell(cell) ? cell : { query: null, key: null }),
    onTap: (cell) => isCell(cell) && options.onPick(cell, "pick"),
    onStep(cell) {
      options.onPick(cell, "move");
      current = { ...current, ...cell, chosenValue: null }; // the next key may come before the next frame
    },
  });
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  fill(element, map.parts.frame, readout);
  draw();

  function draw() {
    if (isGone || element.clientWidth === 0) return;
    if (view.isStill()) shape = shapeOf(element, current);
    layOutMap(map, shape, view, current);
    paint();
    pointAt(map, shape, view, current);
    if (view.isStill()) fill(readout, ...chosenText(current));
  }

  /** Paints everything that moves with the window. */
  function paint() {
    isStale = false;
    paintMap(map, shape, view, current);
  }

  return {
    update(next) {
      const before = current;
      current = next;
      view.follow(placeOf(next), next.layer !== before.layer || next.head !== before.head || next.keys !== before.keys);
      if (differs({ ...before, pointed: null }, { ...next, pointed: null })) draw();
      else pointAt(map, shape, view, current);
    },
    destroy() {
      isGone = true;
      map.destroy();
      readout.remove();
    },
  };
}

/** @typedef {ReturnType<typeof createMapFrame>} Frame */
/** @typedef {ReturnType<typeof shapeOf>} Shape */
/** @typedef {import("./movable_window.js").MovableWindow} MovableWindow */

/** @param {Frame} map @param {Shape} shape @param {MovableWindow} view @param {MatrixData} data */
function layOutMap({ layOut, parts }, shape, view, data) {
  const { name: head, stage } = data;
  layOut(shape, t("{head}: {stage} as a matrix", { head, stage: stageName(stage) }));
  markPending(parts.frame, data, !view.isStill());
}

/** @param {Frame} map @param {Shape} shape @param {MovableWindow} view @param {MatrixData} data */
function pointAt({ showTip, parts }, shape, view, data) {
  const cell = data.pointed;
  showTip(isCell(cell) && view.isStill() ? cellText(data, cell.query, cell.key) : null);
  markPointed(parts, shape.inner, view.now(), data);
}

/** @param {Frame} map @param {Shape} shape @param {MovableWindow} view @param {MatrixData} data */
function paintMap({ paint, parts }, shape, view, data) {
  const { queries, keys, numbering, paint: colors, missing } = data;
  // Until there is anything to draw, the previous cells stay, dimmed.
  const keeps = isPending(data) && !missing?.length;
  paint(
    shape,
    { queries, keys, numbering, colors },
    keeps ? null : (target, drawing) => drawCells(data, target, drawing),
  );
  markCells(parts, shape.inner, view.now(), data);
  markPointed(parts, shape.inner, view.now(), data);
}

/** @param {MatrixData} data @param {CanvasRenderingContext2D} target @param {import("./tile_painter.js").Drawing} drawing */
function drawCells(data, target, drawing) {
  const { queries, keys, limits, paint, layer, head, thumbnails, sheet, matrix, tiles = [] } = data;
  // On paper nothing can be cleared of what lies under it.
  if (sheet && !(isOnPaper() && (matrix || tiles.length > 0)))
    drawSheet(target, sheet, thumbnails, { layer, head, queries: queries.length, keys: keys.length }, drawing);
  drawTiles(target, tiles.length === 0 && matrix ? [matrix] : tiles, { paint, limits }, drawing);
}

/** @param {MatrixData} data  @returns {(Node | string)[]} */
function chosenText(data) {
  return isCell(data)
    ? cellText(data, data.query, data.key, data.chosenValue)
    : [el("span", { class: "readout-hint" }, t("Click a cell to keep its value here."))];
}

/**
 * @param {Pointed} cell
 * @returns {cell is {query: number, key: number}}
 */
function isCell(cell) {
  return cell.query !== null && cell.key !== null;
}

/**
 * @param {MatrixData} data
 * @returns {import("./movable_window.js").Place}
 */
function placeOf({ rows, cols, queries, keys }) {
  return { rows, cols, size: { queries: queries.length, keys: keys.length } };
}
