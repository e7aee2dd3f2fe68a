import assert from "node:assert/strict";
import { test } from "node:test";

import { mostChanged } from "../../../../static/js/explorer/compare/difference_loader.js";

test("the heads that changed most come first, those that did not are left out", () => {
  const largest = [
    [0, 0.5, 0],
    [0.25, 0, 1],
  ];
  assert.deepEqual(mostChanged(largest, 2), [
    { layer: 1, head: 2, change: 1 },
    { layer: 0, head: 1, change: 0.5 },
  ]);
  assert.equal(mostChanged(largest, 9).length, 3);
  assert.deepEqual(mostChanged([[0, 0]], 9), []);
});
