/** Windows recorded in a file, and the finest of them that can answer for another window. */

import { decodeWindow } from "../../base/decode.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Thumbnails} Thumbnails */
/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * @typedef {object} WindowJson  as the API answers it
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {string} stage
 * @property {Range} rows
 * @property {Range} cols
 * @property {import("../../api/types.js").EncodedArray} matrix
 *
 * @typedef {{part: string, layer: number, head: number, stage: string}} Place
 * @typedef {{rows: Range, cols: Range}} Window
 * @typedef {{cellRows: number, cellCols: number}} Cell  tokens of one
 */

const TOKEN = Object.freeze({ cellRows: 1, cellCols: 1 });

/** @param {WindowJson[]} recorded */
export function createRecordedWindows(recorded) {
  /** @type {Map<string, WindowJson[]>} */
  const byPlace = new Map();
  /** @type {Map<WindowJson, Matrix>} decoded when first looked at */
  const decoded = new Map();
  for (const window of recorded) byPlace.set(keyOf(window), [...(byPlace.get(keyOf(window)) ?? []), window]);

  /** @param {WindowJson} window */
  function decode(window) {
    const matrix = decoded.get(window) ?? decodeWindow(window);
    decoded.set(window, matrix);
    return matrix;
  }

  return {
    /** @param {Place} place */
    has: (place) => byPlace.has(keyOf(place)),
    /**
     * The finest that covers a window, in cells of so many tokens or, where it has no such fine ones, of more. It may
     * reach beyond the window: its rows and columns say how far. Null where nothing covers it.
     * @param {Place} place
     * @param {Window} window
     * @param {Cell} [cell]
     * @returns {Matrix | null}
     */
    find(place, window, cell = TOKEN) {
      const found = (byPlace.get(keyOf(place)) ?? [])
        .map(decode)
        .filter((matrix) => covers(matrix.rows, window.rows) && covers(matrix.cols, window.cols))
        .sort((one, other) => one.cellRows * one.cellCols - other.cellRows * other.cellCols);
      return found.length > 0 ? pooled(found[0], window, cell) : null;
    },
  };
}

/**
 * A window in cells of one size, each the largest number in it and made of whole cells of the matrix: so the window may
 * begin earlier and end later than what is wanted.
 * @param {Matrix} matrix  that covers the window
 * @param {Window} window
 * @param {Cell} cell  tokens of one, at least
 * @returns {Matrix}
 */
export function pooled(matrix, window, cell) {
  const down = cut(matrix.rows, matrix.cellRows, window.rows, cell.cellRows);
  const across = cut(matrix.cols, matrix.cellCols, window.cols, cell.cellCols);
  const height = Math.ceil(down.count / down.times);
  const width = Math.ceil(across.count / across.times);
  const values = new Float32Array(height * width).fill(-Infinity);
  for (let row = 0; row < down.count; row++) {
    const from = (down.first + row) * matrix.width + across.first;
    const to = Math.floor(row / down.times) * width;
    for (let col = 0; col < across.count; col++) {
      const at = to + Math.floor(col / across.times);
      values[at] = Math.max(values[at], matrix.values[from + col]);
    }
  }
  const cells = { cellRows: matrix.cellRows * down.times, cellCols: matrix.cellCols * across.times };
  return { values, height, width, rows: down.range, cols: across.range, ...cells };
}

/**
 * One side of a window of a matrix, in cells of the matrix.
 * @param {Range} whole
 * @param {number} own  tokens of a cell of the matrix
 * @param {Range} wanted
 * @param {number} least  tokens of a cell that is wanted
 */
function cut([begin, end], own, wanted, least) {
  const times = Math.ceil(least / own);
  const size = own * times;
  // Coarse cells lie where they lie in the whole, so that neighbouring windows fit together.
  const start = own === 1 ? wanted[0] : begin + Math.floor((wanted[0] - begin) / size) * size;
  const stop = Math.min(end, start + Math.ceil((wanted[1] - start) / own) * own);
  const range = /** @type {Range} */ ([start, stop]);
  return { times, first: (start - begin) / own, count: Math.ceil((stop - start) / own), range };
}

/**
 * The same windows in cells of one size, the largest among them; the same objects where they are alike.
 * @param {Matrix[]} matrices
 * @returns {Matrix[]}
 */
export function alike(matrices) {
  const cell = {
    cellRows: Math.max(...matrices.map(({ cellRows }) => cellRows)),
    cellCols: Math.max(...matrices.map(({ cellCols }) => cellCols)),
  };
  const isAlike = (/** @type {Matrix} */ one) => one.cellRows === cell.cellRows && one.cellCols === cell.cellCols;
  if (matrices.every(isAlike)) return matrices;
  const within = (/** @type {Range} */ [first, end], /** @type {number} */ size) =>
    /** @type {Range} */ ([Math.ceil(first / size) * size, end]);
  return matrices.map((one) => {
    const window = { rows: within(one.rows, cell.cellRows), cols: within(one.cols, cell.cellCols) };
    return isAlike(one) ? one : pooled(one, window, cell);
  });
}

/**
 * One head's thumbnail as a matrix: each cell the largest weight in it, to 1/255.
 * @param {Thumbnails} thumbnails
 * @param {Pick<Part, "query_tokens" | "key_tokens">} part
 * @param {number} layer
 * @param {number} head
 * @returns {Matrix}
 */
export function thumbnailMatrix({ bytes, heads, height, width }, part, layer, head) {
  const first = (layer * heads + head) * height * width;
  return {
    values: Float32Array.from(bytes.subarray(first, first + height * width), (byte) => byte / 255),
    height,
    width,
    rows: [0, part.query_tokens],
    cols: [0, part.key_tokens],
    cellRows: Math.ceil(part.query_tokens / height),
    cellCols: Math.ceil(part.key_tokens / width),
  };
}

/** @param {Matrix} matrix */
export function isExact({ cellRows, cellCols }) {
  return cellRows === 1 && cellCols === 1;
}

/**
 * @param {Range} whole
 * @param {Range} range
 */
function covers(whole, range) {
  return whole[0] <= range[0] && whole[1] >= range[1];
}

/** @param {Place} place */
function keyOf({ part, layer, head, stage }) {
  return `${part} ${layer} ${head} ${stage}`;
}
