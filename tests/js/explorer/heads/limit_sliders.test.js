import assert from "node:assert/strict";
import { test } from "node:test";

import { sliderScale } from "../../../../static/js/explorer/heads/limit_sliders.js";

test("the ends of a slider are no limit, steps between are values", () => {
  const { ends, steps, at } = sliderScale([2, 6, 4]);
  assert.deepEqual(ends(0, 100), [-Infinity, Infinity]);
  assert.deepEqual(ends(25, 75), [3, 5]);
  assert.deepEqual(steps([3, 5]), [25, 75]);
  assert.deepEqual(steps([-Infinity, Infinity]), [0, 100]);
  assert.equal(at(50), 4);
});

test("heads that all have the same value leave the sliders where they are", () => {
  const { ends, steps } = sliderScale([1, 1]);
  assert.deepEqual(steps([1, 1]), [0, 0]);
  assert.deepEqual(ends(50, 100), [1, Infinity]);
});
