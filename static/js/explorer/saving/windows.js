/** The matrices in an exported file: which stages of a head it holds, and the finest that covers what is in view. */

import { decodeWindow } from "../../base/decode.js";
import { STAGES } from "../state/view_state.js";

/** @typedef {import("../../api/types.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Pictures} Pictures */
/** @typedef {import("../../api/types.js").Range} Range */
/** @typedef {import("../../api/types.js").Stage} Stage */

/**
 * @typedef {object} SavedWindow  as the API answers it
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {Stage} stage
 * @property {Range} rows
 * @property {Range} cols
 * @property {import("../../api/types.js").EncodedArray} matrix
 */

/**
 * @typedef {object} SavedChoice  on which the file opens
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {Stage} stage
 * @property {Range} rows
 * @property {Range} cols
 * @property {number | null} query
 * @property {number | null} key
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} Saved
 * @property {import("../../api/types.js").AnalysisJson} analysis
 * @property {SavedChoice} chosen
 * @property {SavedWindow[]} windows
 * @property {boolean} isComplete  whether every head's weights are among them
 * @property {import("../../api/query_key_plane.js").Plane | null} plane  of the chosen head; null where weights came alone
 * @property {import("../../api/types.js").HeadScores | null} scores  of the model on random tokens
 */

/** @typedef {{part: Part, layer: number, head: number}} Head */

/**
 * @param {SavedWindow[]} saved
 * @param {(part: Part) => Pictures} picturesOf
 */
export function createWindows(saved, picturesOf) {
  /** @type {Map<string, SavedWindow[]>} */
  const byPlace = new Map();
  /** @type {Map<SavedWindow | string, Matrix>} decoded when first looked at */
  const decoded = new Map();
  for (const window of saved) {
    const place = placeOf(window.part, window.layer, window.head, window.stage);
    byPlace.set(place, [...(byPlace.get(place) ?? []), window]);
  }

  /**
   * @template K
   * @param {K & (SavedWindow | string)} key
   * @param {() => Matrix} make
   */
  function once(key, make) {
    const matrix = decoded.get(key) ?? make();
    decoded.set(key, matrix);
    return matrix;
  }

  return {
    /**
     * The stages of a head that can be shown; its weights always, be it as a small picture.
     * @param {Head} head
     * @returns {Stage[]}
     */
    stages: ({ part, layer, head }) =>
      STAGES.filter((stage) => stage === "weights" || byPlace.has(placeOf(part.name, layer, head, stage))),
    /**
     * Whether there are more than the small picture's cells.
     * @param {Head} head
     */
    isSaved: ({ part, layer, head }) => byPlace.has(placeOf(part.name, layer, head, "weights")),
    /**
     * The finest matrix that covers a window.
     * @param {Head & {stage: Stage, rows: Range, cols: Range}} look
     * @returns {Matrix}
     */
    matrix({ part, layer, head, stage, rows, cols }) {
      const place = placeOf(part.name, layer, head, stage);
      const found = (byPlace.get(place) ?? [])
        .map((window) => once(window, () => decodeWindow(window)))
        .filter((matrix) => covers(matrix.rows, rows) && covers(matrix.cols, cols))
        .sort((one, other) => one.cellRows * one.cellCols - other.cellRows * other.cellCols);
      return found[0] ?? once(place, () => pictureMatrix(picturesOf(part), part, layer, head));
    },
  };
}

/**
 * One head's small picture as a matrix: each cell the largest weight in it, to 1/255.
 * @param {Pictures} pictures
 * @param {Pick<Part, "query_tokens" | "key_tokens">} part
 * @param {number} layer
 * @param {number} head
 * @returns {Matrix}
 */
export function pictureMatrix({ bytes, heads, height, width }, part, layer, head) {
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

/**
 * The row of one query; null where rows are pooled and so are no row of weights.
 * @param {Matrix} matrix
 * @param {number | null} query
 * @param {number} keys
 * @returns {Float32Array | null}
 */
export function rowOf(matrix, query, keys) {
  if (query === null || matrix.cellRows > 1 || matrix.width !== keys) return null;
  const row = query - matrix.rows[0];
  return row < 0 || row >= matrix.height ? null : matrix.values.subarray(row * keys, (row + 1) * keys);
}

/**
 * @param {Range} whole
 * @param {Range} range
 */
function covers(whole, range) {
  return whole[0] <= range[0] && whole[1] >= range[1];
}

/**
 * @param {string} part
 * @param {number} layer
 * @param {number} head
 * @param {string} stage
 */
function placeOf(part, layer, head, stage) {
  return `${part}.${layer}.${head}.${stage}`;
}
