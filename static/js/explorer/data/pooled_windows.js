/** Windows of a matrix in larger cells, each the largest number in it. */

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {{rows: Range, cols: Range}} Window */
/** @typedef {{cellRows: number, cellCols: number}} Cell  tokens of one */

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
      const index = to + Math.floor(col / across.times);
      values[index] = Math.max(values[index], matrix.values[from + col]);
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
  const isAlike = (/** @type {Matrix} */ matrix) =>
    matrix.cellRows === cell.cellRows && matrix.cellCols === cell.cellCols;
  if (matrices.every(isAlike)) return matrices;
  const within = (/** @type {Range} */ [first, end], /** @type {number} */ size) =>
    /** @type {Range} */ ([Math.ceil(first / size) * size, end]);
  return matrices.map((matrix) => {
    const window = { rows: within(matrix.rows, cell.cellRows), cols: within(matrix.cols, cell.cellCols) };
    return isAlike(matrix) ? matrix : pooled(matrix, window, cell);
  });
}
