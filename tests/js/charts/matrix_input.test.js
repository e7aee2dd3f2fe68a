import assert from "node:assert/strict";
import { test } from "node:test";

import { replaced } from "../../../static/js/charts/matrix_input.js";

test("one number is replaced, and the matrix before stays as it was", () => {
  const before = [
    [1, 2],
    [3, 4],
  ];
  assert.deepEqual(replaced(before, [1, 0], 9), [
    [1, 2],
    [9, 4],
  ]);
  assert.deepEqual(before[1], [3, 4]);
});
