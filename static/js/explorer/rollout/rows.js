/** Arithmetic on rows of shares, one row for each layer. */

import { matrixMaxima } from "../../charts/heat_map/auto_scale.js";
import { condenseRow } from "../state/arrangement.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */

/**
 * Every row with the tokens as they are arranged.
 * @param {Float32Array | null} values  rows × tokens
 * @param {import("../state/arrangement.js").Arrangement} keys
 * @returns {Float32Array | null}
 */
export function condenseRows(values, keys) {
  if (values === null || keys.isPlain) return values;
  const width = keys.places.length;
  const shown = keys.spans.length;
  const out = new Float32Array((values.length / width) * shown);
  for (let row = 0; row * width < values.length; row++) {
    out.set(condenseRow([values.subarray(row * width, (row + 1) * width)], keys, false), row * shown);
  }
  return out;
}

/**
 * The numbers of one layer; of the flow there is only one row.
 * @param {Record<import("./names.js").What, Float32Array | null> & {keys: unknown[]}} data  layers × keys
 * @param {import("./names.js").What} what
 * @param {number} layer
 * @returns {Float32Array | null}
 */
export function rowOf({ keys, ...data }, what, layer) {
  const values = data[what];
  return values && what !== "flow" ? values.subarray(layer * keys.length, (layer + 1) * keys.length) : values;
}

/**
 * Layers as labels of rows.
 * @param {number} count
 * @param {0 | 1} numbering
 * @returns {import("../../api/types.js").Token[]}
 */
export function numbered(count, numbering) {
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: index,
    text: String(index + numbering),
    start: null,
    end: null,
    special: false,
    segment: null,
  }));
}

/**
 * A window as a matrix of no more cells across than are wanted, each the largest in it.
 * @param {Float32Array} values  row-major
 * @param {number} width  tokens in a row
 * @param {{rows: Range, cols: Range}} window
 * @param {number} most  cells a side; rows are pooled only where there are more
 * @returns {Matrix}
 */
export function poolWindow(values, width, { rows, cols }, most) {
  const [down, across] = [rows, cols].map(([first, end]) => Math.ceil((end - first) / most));
  const size = { height: Math.ceil((rows[1] - rows[0]) / down), width: Math.ceil((cols[1] - cols[0]) / across) };
  const cells = new Float32Array(size.height * size.width);
  for (let row = rows[0]; row < rows[1]; row++) {
    const start = Math.floor((row - rows[0]) / down) * size.width;
    for (let col = cols[0]; col < cols[1]; col++) {
      const cell = start + Math.floor((col - cols[0]) / across);
      cells[cell] = Math.max(cells[cell], values[row * width + col]);
    }
  }
  return { values: cells, ...size, rows, cols, cellRows: down, cellCols: across };
}

/**
 * The tokens of the cell that one token is in.
 * @param {number} token
 * @param {Pick<Matrix, "cols" | "cellCols">} cells
 * @returns {Range}
 */
export function cellRange(token, { cols, cellCols }) {
  const first = cols[0] + Math.floor((token - cols[0]) / cellCols) * cellCols;
  return [first, Math.min(first + cellCols, cols[1])];
}

/**
 * The token with the largest value in the cell that one token is in.
 * @param {Float32Array} row
 * @param {number} token
 * @param {Pick<Matrix, "cols" | "cellCols">} cells
 * @returns {number}
 */
export function largestInCell(row, token, cells) {
  const [first, end] = cellRange(token, cells);
  let largest = first;
  for (let index = first; index < end; index++) if (row[index] > row[largest]) largest = index;
  return largest;
}

/**
 * The places of all values that the masks let through, largest first.
 * @param {Float32Array} row
 * @param {(place: number) => boolean} [isMasked]
 * @returns {number[]}
 */
export function ranked(row, isMasked = () => false) {
  const seen = Array.from(row.keys()).filter((place) => !isMasked(place));
  return seen.sort((a, b) => row[b] - row[a] || a - b);
}

/**
 * Whether nothing can have come from any of some places to the query: after a layer, or within it.
 * @typedef {(what: import("./names.js").What, layer: number, places: Range) => boolean} NothingFrom
 */

/**
 * @param {import("../state/allowed_keys.js").Reach | null} reach
 * @param {Pick<import("../state/arrangement.js").Arrangement, "spans">} keys
 * @returns {NothingFrom}
 */
export function nothingFrom(reach, { spans }) {
  return (what, layer, places) => {
    const row = reach?.[what === "means" ? "means" : "rollout"][layer];
    return row !== undefined && !spans.slice(...places).some(([first, end]) => row.subarray(first, end).includes(1));
  };
}

/** @param {number} place @returns {Range} */
export function alone(place) {
  return [place, place + 1];
}

/**
 * The largest of every row of several maps.
 * @param {(Float32Array | null)[]} maps  rows × tokens, as far as they are there
 * @param {number} width  tokens in a row
 * @returns {number[]}
 */
export function rowMaxima(maps, width) {
  return maps.flatMap((values) => (values ? matrixMaxima({ values, width }) : []));
}
