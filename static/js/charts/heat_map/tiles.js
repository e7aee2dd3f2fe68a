/**
 * A matrix of any size in tiles of at most 256 × 256 cells: each level of a pyramid halves the last one's resolution,
 * and only the tiles in view at the level that suits the screen are ever requested.
 */

import { MAX_CELLS, cellSize } from "./geometry.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */

/** @typedef {{rows: Range, cols: Range}} Tile */
/** @typedef {{queries: number, keys: number}} Size  of the whole matrix */

/**
 * Tokens a side of a cell: the smallest power of two with which a span has at most `MAX_CELLS` cells, or what the
 * whole side needs where that fits into one tile.
 * @param {number} span
 * @param {number} count  of the whole side
 * @returns {number}
 */
export function levelOf(span, count) {
  let cell = 1;
  while (span / cell > MAX_CELLS) cell *= 2;
  return count <= MAX_CELLS * cell ? cellSize(count) : cell;
}

/**
 * The tiles that a window touches, at the appropriate level.
 * @param {Range} rows
 * @param {Range} cols
 * @param {Size} size
 * @returns {Tile[]}
 */
export function tilesOf(rows, cols, { queries, keys }) {
  const across = cuts(cols, keys);
  return cuts(rows, queries).flatMap((down) => across.map((cols) => ({ rows: down, cols })));
}

/**
 * @param {Range} range
 * @param {number} count
 * @returns {Range[]}
 */
function cuts([first, end], count) {
  const cell = levelOf(end - first, count);
  const span = MAX_CELLS * cell;
  if (count <= span) return [[0, count]];
  const spans = [];
  for (let start = Math.floor(first / span) * span; start < end; start += span) {
    // The last tile begins earlier instead of being smaller: the server would cut a smaller one into finer cells.
    const begin = start + span <= count ? start : Math.ceil((count - span) / cell) * cell;
    spans.push(/** @type {Range} */ ([begin, Math.min(begin + span, count)]));
  }
  return spans;
}

/**
 * A window assembled from its tiles: the cells that it touches, which may extend beyond it if pooled.
 * @param {Range} rows
 * @param {Range} cols
 * @param {Matrix[]} tiles  all that the window touches
 * @returns {Matrix}
 */
export function assemble(rows, cols, tiles) {
  const [{ cellRows, cellCols }] = tiles;
  const down = reach(rows, cellRows);
  const across = reach(cols, cellCols);
  const height = Math.ceil((down[1] - down[0]) / cellRows);
  const width = Math.ceil((across[1] - across[0]) / cellCols);
  const whole = { values: new Float32Array(height * width), height, width, rows: down, cols: across };
  const target = { ...whole, cellRows, cellCols };
  for (const tile of tiles) copy(tile, target);
  return target;
}

/**
 * @param {Range} range
 * @param {number} cell
 * @returns {Range}
 */
function reach([first, end], cell) {
  return [Math.floor(first / cell) * cell, end];
}

/**
 * Copies the part of a tile inside the window; both have the same cell size and alignment.
 * @param {Matrix} tile
 * @param {Matrix} target
 */
function copy(tile, { values, width, height, rows, cols, cellRows, cellCols }) {
  const down = (tile.rows[0] - rows[0]) / cellRows;
  const across = (tile.cols[0] - cols[0]) / cellCols;
  const firstCol = Math.max(0, across);
  const endCol = Math.min(width, across + tile.width);
  if (endCol <= firstCol) return;
  for (let row = Math.max(0, down); row < Math.min(height, down + tile.height); row++) {
    const from = (row - down) * tile.width - across;
    values.set(tile.values.subarray(from + firstCol, from + endCol), row * width + firstCol);
  }
}
