import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ROW,
  createRowScroll,
  fitted,
  revealed,
  rowsInView,
  scrolledTo,
} from "../../../../static/js/explorer/lines/row_window.js";

const box = { scrollTop: 10 * ROW, clientHeight: 5 * ROW, row: ROW };

test("rows in view, those cut at an end among them", () => {
  assert.deepEqual(rowsInView(box, 100), [10, 15]);
  assert.deepEqual(rowsInView({ ...box, scrollTop: 9.5 * ROW }, 100), [9, 15]);
  assert.deepEqual(rowsInView(box, 12), [10, 12]);
  assert.deepEqual(rowsInView({ ...box, scrollTop: 0, clientHeight: 0 }, 3), [0, 1]);
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

test("rows stand closer where that spares the scrolling, and no closer than can be hit", () => {
  assert.deepEqual(fitted(12, 600), { row: ROW, height: 12 * ROW });
  assert.deepEqual(fitted(24, 600), { row: 25, height: 600 });
  assert.deepEqual(fitted(25, 600), { row: 24, height: 600 });
  assert.deepEqual(fitted(26, 600), { row: ROW, height: 600 });
  assert.deepEqual(fitted(0, 600), { row: ROW, height: 0 });
});

test("a list has no rows until its size is known, and then scrolls no further than it must", () => {
  const list = { scrollTop: 0, clientHeight: 200, style: { height: "" } };
  const scroll = createRowScroll(list);
  assert.equal(scroll.row(), null);
  assert.equal(scroll.resize({ row: 20, height: 200 }), true);
  assert.equal(scroll.resize({ row: 20, height: 200 }), false, "the same size");
  assert.deepEqual([scroll.row(), list.style.height, scroll.fitting()], [20, "200px", 10]);
  scroll.show(9);
  assert.equal(list.scrollTop, 0, "the tenth row is in view");
  scroll.show(12);
  assert.equal(list.scrollTop, 60);
  assert.deepEqual(scroll.range(100), [3, 13]);
  assert.equal(scroll.middle(3), 10);
  scroll.reveal(50);
  assert.equal(list.scrollTop, 910, "its middle at 1010 is the middle of the list");
});
