import assert from "node:assert/strict";
import { test } from "node:test";

import { pan, settle, tokenAt, zoomAt } from "../../../../static/js/charts/heat_map/viewport.js";

test("panning stops at the ends and keeps the size", () => {
  assert.deepEqual(pan([10, 20], 3.5, 100), [13.5, 23.5]);
  assert.deepEqual(pan([10, 20], -15, 100), [0, 10]);
  assert.deepEqual(pan([10, 20], 1e9, 100), [90, 100]);
});

test("zooming keeps the token under the pointer", () => {
  const [first, end] = zoomAt([100, 300], 0.5, 0.25, 1000);
  assert.equal(end - first, 100);
  assert.equal(first + 0.25 * (end - first), 150);
});

test("zooming out ends at the whole, zooming in at 4 tokens", () => {
  assert.deepEqual(zoomAt([100, 300], 100, 0.1, 1000), [0, 1000]);
  assert.deepEqual(zoomAt([100, 300], 1e-6, 0, 1000), [100, 104]);
  assert.deepEqual(zoomAt([0, 3], 0.1, 0.5, 3), [0, 3]);
});

test("a window settles on whole tokens inside the matrix", () => {
  assert.deepEqual(settle([9.6, 20.4], 100), [10, 21]);
  assert.deepEqual(settle([96.7, 99.9], 100), [96, 100]);
  assert.deepEqual(settle([-0.2, 2.9], 3), [0, 3]);
});

test("the token under the pointer", () => {
  assert.equal(tokenAt([10.5, 20.5], 0), 10);
  assert.equal(tokenAt([10, 20], 0.999), 19);
  assert.equal(tokenAt([10, 20], 1), null);
  assert.equal(tokenAt([10, 20], -0.01), null);
});
