/** What masks allow against what reaches: cell by cell, layer by layer. Pure functions of the answer. */

/** @typedef {import("../../api/reach.js").Reach} Reach */
/** @typedef {import("../../base/decode.js").Matrix} Matrix */

/** What a cell of the measured map shows, as the number that its colour has. */
export const CODES = /** @type {const} */ ({ none: 0, reached: 1, shut: 2, leak: 3, unknown: 4 });

/**
 * @typedef {object} LayerCounts  pairs after one layer
 * @property {number} may
 * @property {number} looks  pairs to which some head of the layer gives weight
 * @property {number} reached
 * @property {number} leaks  reached and not allowed
 * @property {number} shut  allowed and not reached
 * @property {number} allowedBack  positions between a query and the farthest key before it that may reach it: of
 *   windows of w keys, layers × (w − 1)
 * @property {number} farthest  the same of what reaches it
 */

/**
 * One layer of one of the maps.
 * @param {Reach} reach
 * @param {number} layer
 * @param {"may" | "weights" | "codes"} what
 * @returns {Matrix}
 */
export function mapOf(reach, layer, what) {
  const [, height, width] = reach.shape;
  const [first, end] = [layer * height * width, (layer + 1) * height * width];
  const values =
    what === "codes"
      ? Float32Array.from({ length: end - first }, (_, cell) => codeAt(reach, first + cell))
      : Float32Array.from(reach[what].subarray(first, end));
  return { values, height, width, rows: [0, height], cols: [0, width], cellRows: 1, cellCols: 1 };
}

/**
 * The layers after which a pair may be and is reached first; null: never.
 * @param {Reach} reach
 * @param {number} query
 * @param {number} key
 */
export function firstLayers(reach, query, key) {
  const [layers, height, width] = reach.shape;
  const first = (/** @type {(cell: number) => boolean} */ is) => {
    for (let layer = 0; layer < layers; layer++) if (is((layer * height + query) * width + key)) return layer;
    return null;
  };
  return { may: first((cell) => reach.may[cell] > 0), reached: first((cell) => reach.change[cell] > 0) };
}

/**
 * @param {Reach} reach
 * @returns {LayerCounts[]}
 */
export function countsOf(reach) {
  const [layers, height, width] = reach.shape;
  return Array.from({ length: layers }, (_, layer) => {
    const counts = { may: 0, looks: 0, reached: 0, leaks: 0, shut: 0, allowedBack: 0, farthest: 0 };
    for (let place = 0; place < height * width; place++) {
      const cell = layer * height * width + place;
      const code = codeAt(reach, cell);
      const back = Math.floor(place / width) - (place % width);
      if (reach.may[cell]) {
        counts.may += 1;
        counts.allowedBack = Math.max(counts.allowedBack, back);
      }
      if (reach.weights[cell] > 0) counts.looks += 1;
      if (code === CODES.leak) counts.leaks += 1;
      if (code === CODES.shut) counts.shut += 1;
      if (reach.change[cell] === 0) continue;
      counts.reached += 1;
      counts.farthest = Math.max(counts.farthest, back);
    }
    return counts;
  });
}

/**
 * @param {Reach} reach
 * @param {number} cell
 */
function codeAt({ may, change, unknown, shape: [, , width] }, cell) {
  if (unknown.includes(cell % width)) return CODES.unknown;
  if (change[cell] > 0) return may[cell] ? CODES.reached : CODES.leak;
  return may[cell] ? CODES.shut : CODES.none;
}
