/** Paint tiles to images, once for each set of colours, and draw a window from them. */

import { madeOnce } from "../../base/memoise.js";
import { mix } from "../../base/theme/color.js";
import { isOnPaper } from "../../base/theme/paper.js";
import { context } from "../thumbnail_sheet.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("./heat_map.js").Paint} Paint */

/** Steps of the scale; finer than a screen shows, even where √ is steep. */
const STEPS = 1024;

/** @type {WeakMap<Matrix, {paint: Paint, limits: string, canvas: HTMLCanvasElement}>} */
const painted = new WeakMap();

/** Colours by step of the scale, packed for a canvas. */
const colorsOf = madeOnce((/** @type {Paint} */ { stops, emphasis }) =>
  Uint32Array.from({ length: STEPS }, (_, step) => {
    const [red, green, blue] = mix(stops, emphasis(step / (STEPS - 1))).map(Math.round);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  }),
);

/**
 * One pixel for each cell; −∞ stays transparent, so that the page's hatching shows.
 * @param {Matrix} matrix
 * @param {Paint} paint
 * @param {[number, number]} limits
 * @returns {HTMLCanvasElement}
 */
function canvasOf(matrix, paint, limits) {
  const known = painted.get(matrix);
  if (known && known.paint === paint && known.limits === limits.join()) return known.canvas;
  const canvas = known?.canvas ?? document.createElement("canvas");
  canvas.width = matrix.width;
  canvas.height = matrix.height;
  const image = new ImageData(matrix.width, matrix.height);
  fillPixels(new Uint32Array(image.data.buffer), matrix.values, colorsOf(paint), limits);
  context(canvas).putImageData(image, 0, 0);
  painted.set(matrix, { paint, limits: limits.join(), canvas });
  return canvas;
}

/**
 * @param {Uint32Array} pixels
 * @param {Float32Array} values
 * @param {Uint32Array} colors
 * @param {[number, number]} limits
 */
function fillPixels(pixels, values, colors, [low, high]) {
  const steps = colors.length - 1;
  const scale = steps / (high - low);
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === -Infinity) continue;
    pixels[index] = colors[Math.min(Math.max(Math.round((value - low) * scale), 0), steps)];
  }
}

/**
 * @typedef {object} Drawing  a window as it is drawn
 * @property {Range} rows  fractions of a token where it moves
 * @property {Range} cols
 * @property {number} width  of the canvas
 * @property {number} height
 */

/**
 * Draws an image of some rows and columns at their position in a window, clipped to it.
 * @param {CanvasRenderingContext2D} target
 * @param {{image: HTMLCanvasElement, x: number, y: number, width: number, height: number}} source  cells of the image
 * @param {{rows: Range, cols: Range}} covers  rows and columns of these cells
 * @param {Drawing} drawing
 */
export function drawCells(target, source, covers, { rows, cols, width, height }) {
  const down = height / (rows[1] - rows[0]);
  const across = width / (cols[1] - cols[0]);
  const top = Math.round((covers.rows[0] - rows[0]) * down);
  const left = Math.round((covers.cols[0] - cols[0]) * across);
  const bottom = Math.round((covers.rows[1] - rows[0]) * down);
  const right = Math.round((covers.cols[1] - cols[0]) * across);
  if (bottom <= 0 || right <= 0 || top >= height || left >= width) return;
  if (!isOnPaper()) target.clearRect(left, top, right - left, bottom - top);
  const isReduced = right - left < source.width || bottom - top < source.height;
  target.imageSmoothingEnabled = isReduced;
  target.imageSmoothingQuality = "medium";
  const { image, x, y } = source;
  target.drawImage(image, x, y, source.width, source.height, left, top, right - left, bottom - top);
}

/**
 * Draws a tile at its position. Its last cells may extend beyond what it covers.
 * @param {CanvasRenderingContext2D} target
 * @param {Matrix} tile
 * @param {{paint: Paint, limits: [number, number]}} colors
 * @param {Drawing} drawing
 */
function drawTile(target, tile, { paint, limits }, drawing) {
  const image = canvasOf(tile, paint, limits);
  const { width, height, cellRows, cellCols } = tile;
  const rows = /** @type {Range} */ ([tile.rows[0], tile.rows[0] + height * cellRows]);
  const cols = /** @type {Range} */ ([tile.cols[0], tile.cols[0] + width * cellCols]);
  drawCells(target, { image, x: 0, y: 0, width, height }, { rows, cols }, drawing);
}

/**
 * @typedef {object} Drawn
 * @property {Matrix[]} tiles
 * @property {[number, number]} limits
 * @property {Range} rows  in view
 * @property {Range} cols
 */

/**
 * @param {CanvasRenderingContext2D} target
 * @param {Matrix[]} tiles
 * @param {{paint: Paint, limits: [number, number]}} colors
 * @param {Drawing} drawing
 */
export function drawTiles(target, tiles, colors, drawing) {
  for (const tile of tiles) drawTile(target, tile, colors, drawing);
  /** The numbers behind the colours stay with the canvas. @type {Drawn} */
  const drawn = { tiles, limits: colors.limits, rows: drawing.rows, cols: drawing.cols };
  Object.assign(target.canvas, { drawn });
}

/**
 * Draws the enlarged thumbnail of one head in place of its cells until finer ones are loaded.
 * @param {CanvasRenderingContext2D} target
 * @param {HTMLCanvasElement} sheet
 * @param {import("../../base/decode.js").Thumbnails} thumbnails
 * @param {{layer: number, head: number, queries: number, keys: number}} which
 * @param {Drawing} drawing
 */
export function drawSheet(target, sheet, { width, height }, { layer, head, queries, keys }, drawing) {
  const rows = /** @type {Range} */ ([0, height * Math.ceil(queries / height)]);
  const cols = /** @type {Range} */ ([0, width * Math.ceil(keys / width)]);
  drawCells(target, { image: sheet, x: head * width, y: layer * height, width, height }, { rows, cols }, drawing);
}
