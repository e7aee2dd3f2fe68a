import assert from "node:assert/strict";
import { test } from "node:test";

import { brushScale, stepsAfter } from "../../../../static/js/explorer/heads/brush.js";

test("the ends of a strip are no limit, steps between are values", () => {
  const { ends, steps, at, isLimited } = brushScale([-2, 6, 4]);
  assert.deepEqual(ends(0, 100), [-Infinity, Infinity]);
  assert.deepEqual(ends(25, 75), [0, 4]);
  assert.deepEqual(steps([0, 4]), [25, 75]);
  assert.deepEqual(steps([-9, Infinity]), [0, 100]);
  assert.equal(at(50), 2);
  assert.deepEqual([isLimited([0, 100]), isLimited([1, 100]), isLimited([0, 99])], [false, true, true]);
});

test("shares begin at 0, and heads that are all alike are on the strip", () => {
  const { least, most, share } = brushScale([1, 1]);
  assert.deepEqual([least, most, share(1)], [0, 1, 1]);
  assert.deepEqual(brushScale([0, 0]).share(0), 0);
});

test("a key moves one end up to the other, or ends the filter", () => {
  assert.deepEqual(stepsAfter("ArrowRight", [10, 50], 0), [11, 50]);
  assert.deepEqual(stepsAfter("ArrowDown", [10, 50], 1), [10, 49]);
  assert.deepEqual(stepsAfter("PageUp", [45, 50], 0), [50, 50]);
  assert.deepEqual(stepsAfter("PageDown", [45, 50], 1), [45, 45]);
  assert.deepEqual(stepsAfter("PageDown", [5, 50], 0), [0, 50]);
  assert.deepEqual(stepsAfter("End", [45, 50], 1), [45, 100]);
  assert.deepEqual(stepsAfter("Escape", [45, 100], 0), [0, 100]);
  assert.equal(stepsAfter("Delete", [0, 100], 1), null);
  assert.equal(stepsAfter("a", [45, 50], 0), null);
});
