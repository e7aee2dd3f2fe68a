import assert from "node:assert/strict";
import { test } from "node:test";

import { ROW, revealed, rowsInView, scrolledTo } from "../../../../static/js/explorer/lines/row_window.js";

const box = { scrollTop: 10 * ROW, clientHeight: 5 * ROW };

test("rows in view, those cut at an end among them", () => {
  assert.deepEqual(rowsInView(box, 100), [10, 15]);
  assert.deepEqual(rowsInView({ ...box, scrollTop: 9.5 * ROW }, 100), [9, 15]);
  assert.deepEqual(rowsInView(box, 12), [10, 12]);
  assert.deepEqual(rowsInView({ scrollTop: 0, clientHeight: 0 }, 3), [0, 1]);
});

test("scrolling goes no further than it must", () => {
  for (const row of [10, 12, 14]) assert.equal(scrolledTo(box, row), box.scrollTop);
  assert.equal(scrolledTo(box, 9), 9 * ROW);
  assert.equal(scrolledTo(box, 15), 11 * ROW);
});

test("a row out of sight comes to the middle, one in sight stays", () => {
  assert.equal(revealed(box, 12), box.scrollTop);
  assert.equal(revealed(box, 30), 28 * ROW);
  assert.equal(revealed(box, 4), 2 * ROW);
});
