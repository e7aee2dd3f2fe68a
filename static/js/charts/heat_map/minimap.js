/** Minimap: the window's position in the whole matrix, in words and as a small map for moving it. */

import { setBox } from "../overlay.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { grouped } from "../../base/numbers.js";
import { context, copyThumbnail } from "../thumbnail_sheet.js";
import { pan, settle } from "./viewport.js";

/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * @typedef {object} MinimapData
 * @property {Range} rows  in view
 * @property {Range} cols
 * @property {{queries: number, keys: number}} size  of the whole
 * @property {number} layer
 * @property {number} head
 * @property {0 | 1} numbering
 * @property {import("../../base/decode.js").Thumbnails} thumbnails
 * @property {HTMLCanvasElement | null} sheet  null if the thumbnails do not apply
 */

const SIDE = 72;

/**
 * @param {HTMLElement} element
 * @param {MinimapData} data
 * @param {{onMove: (rows: Range, cols: Range) => void}} options
 * @returns {import("../../base/mount.js").View<MinimapData>}
 */
export function minimapView(element, data, { onMove }) {
  const canvas = el("canvas", { class: "minimap-picture", width: 2 * SIDE, height: 2 * SIDE });
  const frame = el("span", { class: "minimap-window" });
  const map = el("span", { class: "minimap-map", "aria-hidden": "true" }, canvas, frame);
  const words = el("span", { class: "minimap-words" });
  fill(element, map, words);
  let current = data;
  map.addEventListener("pointerdown", onPress);
  map.addEventListener("pointermove", (event) => {
    if (map.hasPointerCapture(event.pointerId)) follow(event);
  });
  draw(null);

  /** @param {PointerEvent} event */
  function onPress(event) {
    map.setPointerCapture(event.pointerId);
    follow(event);
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const { left, top, width, height } = map.getBoundingClientRect();
    const { rows, cols } = around(current, (event.clientX - left) / width, (event.clientY - top) / height);
    onMove(rows, cols);
  }

  /** @param {MinimapData | null} before */
  function draw(before) {
    const { rows, cols, size, layer, head, thumbnails, sheet } = current;
    if (!before || before.sheet !== sheet || before.layer !== layer || before.head !== head) {
      const target = context(canvas);
      target.clearRect(0, 0, canvas.width, canvas.height);
      const box = { x: 0, y: 0, width: canvas.width, height: canvas.height };
      if (sheet) copyThumbnail(target, sheet, thumbnails, { layer, head }, box);
    }
    setBox(frame, {
      left: (SIDE * cols[0]) / size.keys,
      top: (SIDE * rows[0]) / size.queries,
      width: Math.max(3, (SIDE * (cols[1] - cols[0])) / size.keys),
      height: Math.max(3, (SIDE * (rows[1] - rows[0])) / size.queries),
    });
    words.textContent = placeSays(current);
  }

  return {
    update(next) {
      const before = current;
      current = next;
      draw(before);
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

/**
 * The window around a place.
 * @param {Pick<MinimapData, "rows" | "cols" | "size">} from
 * @param {number} x  share of the whole
 * @param {number} y
 * @returns {{rows: Range, cols: Range}}
 */
export function around({ rows, cols, size }, x, y) {
  const to = (/** @type {Range} */ range, /** @type {number} */ share, /** @type {number} */ count) =>
    settle(pan(range, share * count - (range[0] + range[1]) / 2, count), count);
  return { rows: to(rows, y, size.queries), cols: to(cols, x, size.keys) };
}

/** @param {MinimapData} data */
function placeSays({ rows, cols, size, numbering }) {
  const number = (/** @type {number} */ token) => grouped(token + numbering);
  return t("rows {top}–{bottom} of {queries}, columns {left}–{right} of {keys}", {
    top: number(rows[0]),
    bottom: number(rows[1] - 1),
    queries: grouped(size.queries),
    left: number(cols[0]),
    right: number(cols[1] - 1),
    keys: grouped(size.keys),
  });
}
