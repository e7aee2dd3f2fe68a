import assert from "node:assert/strict";
import { test } from "node:test";

import { fittingShare } from "../../../static/js/page/type_fit.js";

test("type keeps its size where all is on the screen", () => {
  assert.equal(fittingShare(1, 1), 1);
  assert.equal(fittingShare(0.8, 0.9), 0.8);
});

test("it recedes by what is too much, from the size at which that was measured", () => {
  assert.ok(Math.abs(fittingShare(1, 1.25) - 0.796) < 1e-9);
  assert.ok(fittingShare(0.9, 1.1) < 0.9 / 1.1);
});

test("what would be too small to read is shown in full size, and scrolls", () => {
  assert.equal(fittingShare(1, 2), 1);
  assert.equal(fittingShare(0.65, 1.2), 1);
});
