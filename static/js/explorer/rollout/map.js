/** Shares of the input tokens as a heat map: a row for each layer, a column for each token, at any length. */

import { drawAxes } from "../../charts/heat_map/axis_canvas.js";
import { mark, moveTo as place, setBox } from "../../charts/overlay.js";
import { moveOf } from "../../charts/heat_map/cells.js";
import { fill } from "../../base/dom.js";
import { include, touched, zoom } from "../../charts/heat_map/geometry.js";
import { bindGestures } from "../../charts/heat_map/gestures.js";
import { markCells, markPointed, matrixParts, sized } from "../../charts/heat_map/cell_frames.js";
import { shapeOf } from "../../charts/heat_map/layout.js";
import { poolWindow } from "./rows.js";
import { drawTiles } from "../../charts/heat_map/tile_painter.js";
import { pan, settle, tokenAt, zoomAt } from "../../charts/heat_map/viewport.js";
import { differs } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} RolloutMapData
 * @property {string} name  for those who do not see it
 * @property {Token[]} layers  their numbers, as labels
 * @property {Token[]} keys
 * @property {Range} rows  layers shown
 * @property {Range} cols  tokens in view
 * @property {Float32Array | null} values  of these rows: rows × keys; null while they are fetched
 * @property {number} layer  the chosen one
 * @property {number | null} key
 * @property {number | null} pointed  a token
 * @property {0 | 1} numbering
 * @property {[number, number]} limits  values at the ends of the colour scale
 * @property {import("../../charts/heat_map/heat_map.js").Paint} paint
 * @property {boolean} labelled  with the tokens above it
 */

/**
 * @typedef {object} RolloutMapOptions
 * @property {(at: {layer: number, key: number | null}, origin: "pick" | "move") => void} onPick
 * @property {(at: {layer: number, key: number} | null) => void} onPoint
 * @property {(cols: Range) => void} onZoom
 * @property {(layer: number, key: number, cells: import("../../api/types.js").Matrix) => Node[]} describe
 */

/** Pixels of a row: as high as it may be, and as low, whatever the number of layers. */
const ROW = { most: 24, least: 14, sum: 360 };
/** Cells across; more tokens are pooled. */
const MOST_CELLS = 512;
const BARE_TOP = 2;

/**
 * @param {HTMLElement} element
 * @param {RolloutMapData} data
 * @param {RolloutMapOptions} options
 * @returns {import("../../api/types.js").View<RolloutMapData>}
 */
export function rolloutMapView(element, data, options) {
  const parts = matrixParts();
  const { frame, hatch, axes, tip } = parts;
  frame.setAttribute("aria-describedby", "rollout-keys");
  fill(element, frame);

  let current = data;
  /** @type {Range | null} while it moves, in fractions of a token */
  let moving = null;
  /** @type {{layer: number, key: number} | null} */
  let looked = null;
  let shape = sizes();
  let cells = pooled();
  const count = () => current.keys.length;
  const cols = () => moving ?? current.cols;
  const watcher = new ResizeObserver(() => draw());
  const unbind = bindGestures(frame, {
    area: () => hatch.getBoundingClientRect(),
    canPan: () => cols()[1] - cols()[0] < count(),
    canWheel: () => frame.contains(document.activeElement),
    onPoint: (x, y) => look(cellAt(x, y)),
    onLeave: () => look(null),
    onTap: (x, y) => {
      const layer = tokenAt(current.rows, y);
      if (layer !== null) options.onPick({ layer, key: tokenAt(cols(), x) }, "pick");
    },
    onReset: () => options.onZoom([0, count()]),
    onPan: (dx) => move(pan(cols(), -dx * (cols()[1] - cols()[0]), count())),
    onZoom: (factor, x) => move(zoomAt(cols(), factor, x, count())),
    onBox: (box) => {
      const share = box && { start: box.x[0], size: box.x[1] - box.x[0] };
      mark(parts.box, shape.inner, share && { start: 0, size: 1 }, share);
    },
    onBoxed: ({ x }) => options.onZoom(touched(cols(), x, count())),
    onRest: rest,
  });
  watcher.observe(element);
  frame.addEventListener("keydown", onKey);
  frame.addEventListener("pointermove", moveTip);
  draw();

  function sizes() {
    const { rows, keys, layers, numbering, labelled } = current;
    const shape = shapeOf(element, { rows, cols: current.cols, queries: layers, keys, numbering });
    const count = rows[1] - rows[0];
    const height = count * Math.min(ROW.most, Math.max(ROW.least, Math.floor(ROW.sum / count)));
    const top = labelled ? shape.inner.top : BARE_TOP;
    const width = Math.max(80, element.clientWidth - shape.inner.left - BARE_TOP);
    const inner = { left: shape.inner.left, top, width, height };
    return { inner, width: inner.left + width + BARE_TOP, height: top + height + BARE_TOP, font: shape.font };
  }

  function pooled() {
    const { values, keys, rows } = current;
    if (values === null) return null;
    const [first, end] = moving ?? current.cols;
    const window = /** @type {Range} */ ([Math.floor(first), Math.min(Math.ceil(end), keys.length)]);
    const found = poolWindow(values, keys.length, { rows: [0, rows[1] - rows[0]], cols: window }, MOST_CELLS);
    return { ...found, rows };
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  function cellAt(x, y) {
    const layer = tokenAt(current.rows, y);
    const key = tokenAt(cols(), x);
    return layer === null || key === null ? null : { layer, key };
  }

  /** @param {{layer: number, key: number} | null} at */
  function look(at) {
    looked = at;
    options.onPoint(at);
    drawPointed();
  }

  /** @param {Range} range */
  function move(range) {
    moving = range;
    cells = pooled();
    paint();
  }

  function rest() {
    if (moving === null) return;
    const rested = settle(moving, count());
    moving = null;
    options.onZoom(rested);
    current = { ...current, cols: rested };
    draw();
  }

  function draw() {
    if (element.clientWidth === 0) return;
    shape = sizes();
    cells = pooled();
    setBox(frame, { width: shape.width, height: shape.height });
    for (const part of [hatch, parts.cells]) setBox(part, shape.inner);
    frame.setAttribute("aria-label", current.name);
    frame.setAttribute("aria-busy", String(cells === null));
    frame.classList.toggle("can-pan", cols()[1] - cols()[0] < count());
    paint();
  }

  function paint() {
    const { layers, keys, rows, numbering, limits, paint: colors, labelled } = current;
    const ratio = devicePixelRatio || 1;
    const target = sized(parts.cells, shape.inner, ratio);
    const drawing = { rows, cols: cols(), width: parts.cells.width, height: parts.cells.height };
    drawTiles(target, cells ? [cells] : [], { paint: colors, limits }, drawing);
    const labels = sized(axes, shape, ratio);
    labels.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { inner, font } = shape;
    drawAxes(labels, {
      ...{ queries: layers, keys: labelled ? keys : [], rows, cols: cols(), numbering, inner, font, colors },
    });
    markCells(parts, inner, { rows, cols: cols() }, { query: current.layer, key: current.key });
    drawPointed();
  }

  function drawPointed() {
    const { rows, pointed } = current;
    const key = looked?.key ?? pointed;
    const view = { rows, cols: cols() };
    const at = { query: looked?.layer ?? null, key };
    markPointed(parts, shape.inner, view, { pointed: at, matrix: cells });
    tip.hidden = looked === null || cells === null || moving !== null;
    if (looked && cells && !tip.hidden) fill(tip, ...options.describe(looked.layer, looked.key, cells));
  }

  /** @param {PointerEvent} event */
  function moveTip(event) {
    const box = frame.getBoundingClientRect();
    place(tip, Math.min(event.clientX - box.left + 14, Math.max(0, box.width - 190)), event.clientY - box.top + 18);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, cols: shown, layer, key } = current;
    const from = { query: layer - rows[0], key: key ?? shown[0] };
    const at = moveOf(event.key, from, { queries: rows[1] - rows[0], keys: count() });
    if (event.key === "Escape") options.onZoom([0, count()]);
    else if (event.key === "+" || event.key === "-")
      options.onZoom(zoom(shown, event.key === "+" ? 0.5 : 2, key, count()));
    else if (at) {
      const next = { layer: rows[0] + at.query, key: at.key };
      const window = include(shown, at.key);
      options.onPick(next, "move");
      if (window !== shown) options.onZoom(window);
      current = { ...current, ...next, cols: window }; // the next key may come before the next frame
      paint();
    } else return;
    event.preventDefault();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      if (differs({ ...before, pointed: null }, { ...next, pointed: null })) draw();
      else drawPointed();
    },
    destroy() {
      unbind();
      watcher.disconnect();
      element.replaceChildren();
    },
  };
}
