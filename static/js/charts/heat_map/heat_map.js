/** One head as a heat map on a canvas: drawn within a frame, also while it moves. */

import { drawAxes } from "./axis_canvas.js";
import { mark, moveTo as place, setBox } from "../overlay.js";
import { cellText } from "./cell_text.js";
import { moveOf, strideOf } from "./cells.js";
import { fill } from "../../base/dom.js";
import { perFrame } from "../../base/once_per_frame.js";
import { include, touched, zoom } from "./geometry.js";
import { bindGestures } from "./gestures.js";
import { t } from "../../base/i18n.js";
import { stageName } from "../../wording/labels.js";
import { isPending, markCells, markPending, markPointed, matrixParts, sized } from "./cell_frames.js";
import { shapeOf } from "./layout.js";
import { drawSheet, drawTiles } from "./tile_painter.js";
import { pan, settle, tokenAt, zoomAt } from "./viewport.js";
import { differs } from "../../base/mount.js";

/** @typedef {import("../../api/types.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Pointed} Pointed */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @typedef {object} MatrixData
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {import("../../api/types.js").Stage | "difference" | "attribution" | "rollout"} stage
 * @property {string} name  of the head
 * @property {Range} rows  queries in view
 * @property {Range} cols  keys in view
 * @property {number | null} query
 * @property {number | null} key
 * @property {Pointed} pointed
 * @property {0 | 1} numbering
 * @property {number | null} chosenValue  of the chosen cell, where it is known although the matrix is pooled
 * @property {Matrix | null} matrix  null while it is fetched
 * @property {Matrix[]} [tiles]  what of it is at hand meanwhile
 * @property {{rows: Range, cols: Range}[]} [missing]  what of it could not be had
 * @property {[number, number]} limits  values at the ends of the colour scale
 * @property {number} layer
 * @property {number} head
 * @property {import("../../api/types.js").Pictures} pictures
 * @property {HTMLCanvasElement | null} sheet  painted pictures to show meanwhile; null where they would say something else
 * @property {Paint} paint
 */

/**
 * @typedef {object} Paint  colours of the theme; a new object when they change
 * @property {import("../../base/color.js").Rgb[]} stops
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
 * @returns {import("../../api/types.js").View<MatrixData>}
 */
export function matrixView(element, data, options) {
  const parts = matrixParts();
  const { frame, hatch, axes, cells, tip, readout } = parts;
  fill(element, frame, readout);

  let current = data;
  /** @type {Pick<MatrixData, "rows" | "cols"> | null} while it moves, in fractions of a token */
  let moving = null;
  let isResting = false;
  const view = () => moving ?? current;
  const whole = () => settled({ rows: [0, Infinity], cols: [0, Infinity] });
  /** Whether it moved since it was painted: it is painted once a frame, be it for this or for new data. */
  let isStale = false;
  const repaint = perFrame(() => isStale && !isGone && paint());
  let shape = shapeOf(element, data);
  let isGone = false;
  const watcher = new ResizeObserver(() => draw());
  const unbind = bindGestures(frame, {
    area: () => hatch.getBoundingClientRect(),
    canPan: () => !isWhole(view()),
    canWheel: () => frame.contains(document.activeElement),
    onPoint: (x, y) => options.onPoint(cellAt(x, y)),
    onLeave: () => options.onPoint({ query: null, key: null }),
    onTap: (x, y) => {
      const at = cellAt(x, y);
      if (at.query !== null) options.onPick(at, "pick");
    },
    onReset: () => jumpTo(whole()),
    onPan: panBy,
    onZoom: (factor, x, y) => {
      const { rows, cols } = view();
      const { queries, keys } = current;
      moveTo({ rows: zoomAt(rows, factor, y, queries.length), cols: zoomAt(cols, factor, x, keys.length) });
    },
    onBox: drawBox,
    onBoxed: ({ x, y }) => {
      const { rows, cols } = view();
      jumpTo({ rows: touched(rows, y, current.queries.length), cols: touched(cols, x, current.keys.length) });
    },
    onRest: rest,
  });
  watcher.observe(element);
  frame.addEventListener("keydown", onKey);
  frame.addEventListener("pointermove", moveTip);
  draw();

  /** @param {Pick<MatrixData, "rows" | "cols">} window */
  function isWhole({ rows, cols }) {
    return rows[1] - rows[0] >= current.queries.length && cols[1] - cols[0] >= current.keys.length;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {Pointed}
   */
  function cellAt(x, y) {
    const { rows, cols } = view();
    const query = tokenAt(rows, y);
    const key = tokenAt(cols, x);
    return query === null || key === null ? { query: null, key: null } : { query, key };
  }

  /**
   * Shows a window at once, and tells which tokens are in it, so that they are fetched.
   * @param {Pick<MatrixData, "rows" | "cols">} window
   */
  function moveTo(window) {
    moving = window;
    isResting = false;
    isStale = true;
    const { rows, cols } = settled(window);
    options.onZoom(rows, cols);
    repaint();
  }

  /** @param {Pick<MatrixData, "rows" | "cols">} window  to stay in, whatever was still moving */
  function jumpTo(window) {
    moveTo(window);
    rest();
  }

  /** @param {Pick<MatrixData, "rows" | "cols">} window */
  function settled({ rows, cols }) {
    return { rows: settle(rows, current.queries.length), cols: settle(cols, current.keys.length) };
  }

  /** @param {Pick<MatrixData, "rows" | "cols">} window */
  function isShown({ rows, cols }) {
    return `${rows}` === `${current.rows}` && `${cols}` === `${current.cols}`;
  }

  /**
   * @param {number} dx  shares of the plot
   * @param {number} dy
   */
  function panBy(dx, dy) {
    const { rows, cols } = view();
    const { queries, keys } = current;
    moveTo({
      rows: pan(rows, -dy * (rows[1] - rows[0]), queries.length),
      cols: pan(cols, -dx * (cols[1] - cols[0]), keys.length),
    });
  }

  /** The window stays where it is, on whole tokens; until the state says the same it is still the moving one. */
  function rest() {
    if (moving === null) return;
    const rested = settled(moving);
    isResting = !isShown(rested);
    moving = isResting ? rested : null;
    draw();
  }

  function draw() {
    if (isGone || element.clientWidth === 0) return;
    if (moving === null) shape = shapeOf(element, current);
    setBox(frame, shape);
    for (const part of [hatch, cells]) setBox(part, shape.inner);
    frame.classList.toggle("can-pan", !isWhole(view()));
    markPending(frame, current, moving !== null);
    frame.setAttribute(
      "aria-label",
      t("{head}: {stage} as a matrix", { head: current.name, stage: stageName(current.stage) }),
    );
    paint();
    if (moving === null) drawReadout();
    drawPointed();
  }

  /** Everything that moves with the window. */
  function paint() {
    const { rows, cols } = view();
    const { queries, keys, numbering, limits, paint: colors, layer, head, pictures, sheet, matrix } = current;
    isStale = false;
    const ratio = devicePixelRatio || 1;
    // Until there is anything to draw, what stood there before stays, dimmed.
    if (!isPending(current) || current.missing?.length) {
      const target = sized(cells, shape.inner, ratio);
      const drawing = { rows, cols, width: cells.width, height: cells.height };
      const which = { layer, head, queries: queries.length, keys: keys.length };
      if (sheet) drawSheet(target, sheet, pictures, which, drawing);
      const tiles = current.tiles?.length || !matrix ? (current.tiles ?? []) : [matrix];
      drawTiles(target, tiles, { paint: colors, limits }, drawing);
    }
    const labels = sized(axes, shape, ratio);
    labels.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawAxes(labels, { queries, keys, rows, cols, numbering, inner: shape.inner, font: shape.font, colors });
    markCells(parts, shape.inner, view(), current);
    markPointed(parts, shape.inner, view(), current);
  }

  /** @param {{x: [number, number], y: [number, number]} | null} box */
  function drawBox(box) {
    const share = (/** @type {[number, number]} */ [start, end]) => ({ start, size: end - start });
    mark(parts.box, shape.inner, box && share(box.y), box && share(box.x));
  }

  function drawPointed() {
    const { query, key } = current.pointed;
    tip.hidden = query === null || key === null || moving !== null;
    if (query !== null && key !== null) fill(tip, ...cellText(current, query, key));
    markPointed(parts, shape.inner, view(), current);
  }

  function drawReadout() {
    const { query, key } = current;
    if (query !== null && key !== null) fill(readout, ...cellText(current, query, key, current.chosenValue));
    else fill(readout, t("Pick a cell to keep its number here."));
  }

  /** @param {PointerEvent} event */
  function moveTip(event) {
    const box = frame.getBoundingClientRect();
    place(tip, Math.min(event.clientX - box.left + 14, Math.max(0, box.width - 190)), event.clientY - box.top + 18);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { queries, keys } = current;
    const { rows, cols } = settled(view());
    const query = current.query ?? rows[0];
    const key = current.key ?? cols[0];
    const at = moveOf(event.key, { query, key }, { queries: queries.length, keys: keys.length });
    const stride = event.shiftKey ? strideOf(event.key) : null;
    if (event.key === "Escape") jumpTo(whole());
    else if (event.key === "+" || event.key === "-") {
      const factor = event.key === "+" ? 0.5 : 2;
      jumpTo({ rows: zoom(rows, factor, query, queries.length), cols: zoom(cols, factor, key, keys.length) });
    } else if (stride) {
      panBy(...stride);
      rest();
    } else if (at) {
      options.onPick(at, "move");
      current = { ...current, ...at, chosenValue: null }; // the next key may come before the next frame
      jumpTo({ rows: include(rows, at.query), cols: include(cols, at.key) });
    } else return;
    event.preventDefault();
  }

  return {
    update(next) {
      const before = current;
      current = next;
      const isOther = next.layer !== before.layer || next.head !== before.head || next.keys !== before.keys;
      if (moving && (isOther || (isResting && isShown(moving)))) moving = null;
      if (differs({ ...before, pointed: null }, { ...next, pointed: null })) draw();
      else drawPointed();
    },
    destroy() {
      isGone = true;
      unbind();
      watcher.disconnect();
      element.replaceChildren();
    },
  };
}
