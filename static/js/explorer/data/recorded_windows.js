/** Windows recorded in a file, and the finest of them that can answer for another window. */

import { decodeWindow } from "../../base/decode.js";
import { pooled } from "./pooled_windows.js";

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
 * @typedef {import("./pooled_windows.js").Window} Window
 * @typedef {import("./pooled_windows.js").Cell} Cell
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
      const matrices = (byPlace.get(keyOf(place)) ?? [])
        .map(decode)
        .filter((matrix) => covers(matrix.rows, window.rows) && covers(matrix.cols, window.cols))
        .sort((a, b) => a.cellRows * a.cellCols - b.cellRows * b.cellCols);
      return matrices.length > 0 ? pooled(matrices[0], window, cell) : null;
    },
  };
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
