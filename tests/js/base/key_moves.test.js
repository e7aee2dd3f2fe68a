import assert from "node:assert/strict";
import { test } from "node:test";

import { isSending, moveInGrid, moveInList } from "../../../static/js/base/key_moves.js";

test("keys go through a list and stop at its ends", () => {
  const from = (/** @type {number} */ at) => (/** @type {string} */ key) => moveInList(key, at, 5);
  assert.deepEqual(["ArrowUp", "ArrowDown", "Home", "End"].map(from(2)), [1, 3, 0, 4]);
  assert.deepEqual(["ArrowUp", "Home"].map(from(0)), [0, 0]);
  assert.deepEqual(["ArrowDown", "End"].map(from(4)), [4, 4]);
  assert.deepEqual(["ArrowLeft", "PageDown", "Enter", "toString"].map(from(2)), [null, null, null, null]);
});

test("a list runs down, to the right, or to the left; page keys go by pages", () => {
  assert.equal(moveInList("ArrowRight", 2, 5, { way: "right" }), 3);
  assert.equal(moveInList("ArrowRight", 2, 5, { way: "left" }), 1);
  assert.equal(moveInList("ArrowDown", 2, 5, { way: "left" }), null);
  assert.equal(moveInList("PageDown", 2, 50, { page: 10 }), 12);
  assert.equal(moveInList("PageUp", 2, 50, { page: 10 }), 0);
});

test("keys stay inside a grid, and Home and End in its row unless Ctrl is held", () => {
  const grid = { columns: 4, count: 12 };
  const from = (/** @type {number} */ at) => (/** @type {string} */ key) => moveInGrid({ key }, at, grid);
  const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
  assert.deepEqual(arrows.map(from(5)), [4, 6, 1, 9, 4, 7]);
  assert.deepEqual(arrows.map(from(0)), [0, 1, 0, 4, 0, 3]);
  assert.deepEqual(arrows.map(from(11)), [10, 11, 7, 11, 8, 11]);
  assert.deepEqual(
    ["Home", "End"].map((key) => moveInGrid({ key, ctrlKey: true }, 5, grid)),
    [0, 11],
  );
  assert.equal(moveInGrid({ key: "Enter" }, 5, grid), null);
});

test("the last row of a grid may be shorter", () => {
  const move = (/** @type {string} */ key, /** @type {number} */ at) =>
    moveInGrid({ key }, at, { columns: 4, count: 6 });
  assert.deepEqual([move("ArrowRight", 5), move("End", 4), move("ArrowDown", 1), move("ArrowDown", 2)], [5, 5, 5, 2]);
});

test("Enter sends, but neither with Shift nor while a character is composed", () => {
  const enter = { key: "Enter", shiftKey: false, isComposing: false };
  assert.equal(isSending(enter), true);
  assert.equal(isSending({ ...enter, shiftKey: true }), false);
  assert.equal(isSending({ ...enter, isComposing: true }), false);
  assert.equal(isSending({ ...enter, key: "a" }), false);
});
