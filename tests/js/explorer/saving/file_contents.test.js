import assert from "node:assert/strict";
import { test } from "node:test";

import { fileContents } from "../../../../static/js/explorer/saving/file_contents.js";

/** @param {{stage: string, rows?: number[], shape?: string, head?: number}} more */
const recorded = ({ stage, rows = [0, 9], shape = "9,9", head = 1 }) =>
  /** @type {any} */ ({ part: "encoder", layer: 0, head, stage, rows, cols: rows, matrix: { shape } });
const saved = /** @type {any} */ ({ part: "encoder", layer: 0, head: 1, stage: "weights", numbering: 1 });

test("a file of all heads has their weights, and further stages of one", () => {
  const windows = [
    recorded({ stage: "weights" }),
    recorded({ stage: "raw_scores" }),
    recorded({ stage: "weights", head: 2 }),
  ];
  assert.equal(
    fileContents({ windows, isComplete: true, saved }),
    "This file holds the weights of every head as numbers. The other stages (raw) it holds of Layer 1, head 2 alone.",
  );
  assert.match(fileContents({ windows: windows.slice(2), isComplete: true, saved }), /It holds no other stage\.$/);
});

test("a file of one head says so, and whether its cells are single numbers", () => {
  const one = fileContents({ windows: [recorded({ stage: "weights" })], isComplete: false, saved });
  assert.match(one, /^This file holds the numbers of Layer 1, head 2 \(weights\)\. .*Every other head .* thumbnail/);
  const pooled = recorded({ stage: "weights", shape: "3,3" });
  const coarse = fileContents({ windows: [pooled], isComplete: false, saved });
  assert.match(coarse, /pooled: each cell is the maximum over several tokens/);
  assert.doesNotMatch(coarse, /is exact/);
  const windows = [pooled, recorded({ stage: "weights", rows: [2, 4], shape: "2,2" })];
  assert.match(fileContents({ windows, isComplete: false, saved }), /The window in view .* is exact\./);
});
