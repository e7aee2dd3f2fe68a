import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange } from "../../../../static/js/explorer/state/arrangement.js";
import {
  condenseRows,
  alone,
  largestInCell,
  nothingFrom,
  numbered,
  poolWindow,
  ranked,
  rowMaxima,
} from "../../../../static/js/explorer/rollout/rows.js";

/** @param {string} text @param {number} index */
const token = (text, index) => ({
  index,
  id: index,
  text,
  token: text,
  start: null,
  end: null,
  segment: 0,
  special: text.startsWith("["),
});
const TOKENS = ["[CLS]", "a", "b", "[SEP]", "c"].map(token);

test("hidden tokens lose their column in every row, and nothing else changes", () => {
  const rows = Float32Array.from([1, 2, 3, 4, 5, 10, 20, 30, 40, 50]);
  assert.deepEqual([...(condenseRows(rows, arrange(TOKENS, true, false)) ?? [])], [2, 3, 5, 20, 30, 50]);
  assert.equal(condenseRows(rows, arrange(TOKENS, false, false)), rows);
  assert.equal(condenseRows(null, arrange(TOKENS, true, false)), null);
});

test("a window is pooled to the largest of each cell, rows only where there are too many", () => {
  const values = Float32Array.from([0, 7, 1, 2, 5, 6, 3, 4, 9, 8, 2, 1]); // 2 × 6
  const all = poolWindow(values, 6, { rows: [0, 2], cols: [0, 6] }, 4);
  assert.deepEqual([...all.values], [7, 2, 6, 4, 9, 2]);
  assert.deepEqual([all.height, all.width, all.cellRows, all.cellCols], [2, 3, 1, 2]);
  const part = poolWindow(values, 6, { rows: [1, 2], cols: [1, 6] }, 2);
  assert.deepEqual([...part.values], [9, 2]); // 4 9 8 | 2 1
  assert.deepEqual([part.rows, part.cols, part.cellCols], [[1, 2], [1, 6], 3]);
  const exact = poolWindow(values, 6, { rows: [0, 2], cols: [2, 4] }, 512);
  assert.deepEqual([...exact.values], [1, 2, 9, 8]);
  const square = poolWindow(values, 6, { rows: [0, 2], cols: [0, 6] }, 1);
  assert.deepEqual([...square.values, square.cellRows, square.cellCols], [9, 2, 6]);
});

test("the largest of a pooled cell is found, also in a last cell that is cut off", () => {
  const row = Float32Array.from([3, 4, 9, 8, 2, 1, 5]);
  const cells = { cols: /** @type {[number, number]} */ ([1, 7]), cellCols: 4 };
  assert.equal(largestInCell(row, 4, cells), 2);
  assert.equal(largestInCell(row, 5, cells), 6);
  assert.equal(largestInCell(row, 3, { cols: [0, 7], cellCols: 1 }), 3);
});

test("the strongest come first, equal ones in the order of the text", () => {
  assert.deepEqual(ranked(Float32Array.from([0.1, 0.4, 0.1, 0.3])), [1, 3, 0, 2]);
  assert.deepEqual(
    ranked(Float32Array.from([0.1, 0, 0, 0.3]), (place) => place === 2),
    [3, 0, 1],
  );
});

test("what colours are chosen by: the largest of every row of the maps that are there", () => {
  const maps = [Float32Array.from([1, 3, 2, 0]), null, Float32Array.from([5, 4])];
  assert.deepEqual(rowMaxima(maps, 2), [3, 2, 5]);
  assert.deepEqual(rowMaxima([null], 2), []);
});

test("layers are labelled as they are counted", () => {
  assert.deepEqual(
    numbered(2, 1).map(({ text }) => text),
    ["1", "2"],
  );
});

test("what cannot have come to the query is masked after a layer, or within it", () => {
  const layers = (/** @type {number[][]} */ rows) => rows.map((row) => Uint8Array.from(row));
  const reach = {
    rollout: layers([
      [0, 1, 1, 0],
      [1, 1, 1, 0],
    ]),
    means: layers([
      [0, 1, 1, 0],
      [0, 1, 1, 0],
    ]),
  };
  const spans = /** @type {[number, number][]} */ ([
    [0, 1],
    [1, 2],
    [3, 4],
  ]);
  const isMasked = nothingFrom(reach, { spans });
  const places = (/** @type {import("../../../../static/js/explorer/rollout/names.js").What} */ what) =>
    [0, 1].map((layer) => [0, 1, 2].map((place) => isMasked(what, layer, alone(place))));
  const [T, F] = [true, false];
  assert.deepEqual(places("rollout"), [
    [T, F, T],
    [F, F, T],
  ]);
  assert.deepEqual(places("flow"), places("rollout"));
  assert.deepEqual(places("means"), [
    [T, F, T],
    [T, F, T],
  ]);
  assert.equal(isMasked("rollout", 0, [0, 2]), false);
  assert.equal(nothingFrom(null, { spans })("rollout", 0, [2, 3]), false);
});
