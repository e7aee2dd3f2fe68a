import assert from "node:assert/strict";
import { test } from "node:test";

import { assemble } from "../../../../static/js/charts/heat_map/tiles.js";
import { alike } from "../../../../static/js/explorer/data/pooled_windows.js";
import { createRecordedWindows, thumbnailMatrix } from "../../../../static/js/explorer/data/recorded_windows.js";

/** @typedef {import("../../../../static/js/base/decode.js").Range} Range */

const PLACE = { part: "encoder", layer: 0, head: 1, stage: "weights" };
/** @param {number} row @param {number} col */
const value = (row, col) => 100 * row + col;

/**
 * A window of numbers that tell their place, as the API answers it.
 * @param {Range} rows
 * @param {Range} cols
 * @param {number} [cell]
 */
function recorded(rows, cols, cell = 1) {
  const cells = (/** @type {Range} */ [first, end]) =>
    Array.from(
      { length: Math.ceil((end - first) / cell) },
      (_, index) => Math.min(end, first + (index + 1) * cell) - 1,
    );
  const matrix = cells(rows).map((row) => cells(cols).map((col) => value(row, col)));
  return { ...PLACE, rows, cols, matrix: /** @type {any} */ (matrix) };
}

test("a window is cut from the finest that covers it", () => {
  const windows = createRecordedWindows([recorded([0, 9], [0, 9], 2), recorded([2, 6], [1, 7])]);
  const inside = windows.find(PLACE, { rows: [3, 5], cols: [2, 4] });
  assert.deepEqual(inside && [...inside.values], [302, 303, 402, 403]);
  assert.deepEqual([inside?.rows, inside?.cols, inside?.cellRows], [[3, 5], [2, 4], 1]);
  const across = windows.find(PLACE, { rows: [3, 9], cols: [0, 3] });
  assert.deepEqual([across?.rows, across?.cols, across?.cellRows], [[2, 9], [0, 4], 2]);
  assert.deepEqual(across && [...across.values], [301, 303, 501, 503, 701, 703, 801, 803]);
  assert.equal(windows.find({ ...PLACE, stage: "raw_scores" }, { rows: [0, 1], cols: [0, 1] }), null);
  assert.equal(createRecordedWindows([recorded([2, 6], [1, 7])]).find(PLACE, { rows: [0, 3], cols: [1, 2] }), null);
  assert.equal(windows.has(PLACE), true);
  assert.equal(windows.has({ ...PLACE, head: 0 }), false);
});

test("cells are made of whole cells, the largest number in each, the last one cut off", () => {
  const windows = createRecordedWindows([recorded([0, 9], [0, 9], 2)]);
  const coarse = windows.find(PLACE, { rows: [0, 9], cols: [5, 9] }, { cellRows: 3, cellCols: 3 });
  assert.deepEqual([coarse?.cellRows, coarse?.cellCols, coarse?.rows, coarse?.cols], [4, 4, [0, 9], [4, 9]]);
  assert.deepEqual(coarse && [...coarse.values], [307, 308, 707, 708, 807, 808]);
});

test("what the mask hides stays hidden unless a cell has something else", () => {
  const masked = {
    ...recorded([0, 2], [0, 4]),
    matrix: /** @type {any} */ ([
      ["-Infinity", "-Infinity", 1, -2],
      ["-Infinity", "-Infinity", -3, "-Infinity"],
    ]),
  };
  const found = createRecordedWindows([masked]).find(PLACE, masked, { cellRows: 2, cellCols: 2 });
  assert.deepEqual(found && [...found.values], [-Infinity, 1]);
});

test("neighbouring windows of different cells are put together in the larger ones", () => {
  const windows = createRecordedWindows([recorded([0, 9], [0, 9], 2), recorded([0, 9], [3, 9])]);
  const left = windows.find(PLACE, { rows: [0, 9], cols: [0, 4] });
  const right = windows.find(PLACE, { rows: [0, 9], cols: [3, 9] });
  assert.ok(left && right);
  const tiles = alike([left, right]);
  assert.equal(tiles[0], left);
  const whole = assemble([0, 9], [0, 9], tiles);
  assert.deepEqual([...whole.values].slice(0, 5), [101, 103, 105, 107, 108]);
  assert.deepEqual([...whole.values].slice(-5), [801, 803, 805, 807, 808]);
  const same = [left];
  assert.equal(alike(same), same);
});

test("of a thumbnail each cell is the largest weight of several tokens", () => {
  const thumbnails = {
    bytes: Uint8Array.from([0, 51, 255, 0, 0, 255, 51, 102]),
    layers: 1,
    heads: 2,
    height: 2,
    width: 2,
  };
  const matrix = thumbnailMatrix(thumbnails, { query_tokens: 5, key_tokens: 3 }, 0, 1);
  assert.deepEqual(
    [...matrix.values].map((weight) => weight.toFixed(1)),
    ["0.0", "1.0", "0.2", "0.4"],
  );
  assert.deepEqual([matrix.cellRows, matrix.cellCols, matrix.rows, matrix.cols], [3, 2, [0, 5], [0, 3]]);
});
