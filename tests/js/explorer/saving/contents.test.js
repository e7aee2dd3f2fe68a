import assert from "node:assert/strict";
import { test } from "node:test";

import { contentsOf } from "../../../../static/js/explorer/saving/contents.js";

/** @param {{stage: string, rows?: number[], shape?: string, head?: number}} more */
const saved = ({ stage, rows = [0, 9], shape = "9,9", head = 1 }) =>
  /** @type {any} */ ({ part: "encoder", layer: 0, head, stage, rows, cols: rows, matrix: { shape } });
const chosen = /** @type {any} */ ({ part: "encoder", layer: 0, head: 1, stage: "weights", numbering: 1 });

test("a file of all heads has their weights, and further stages of one", () => {
  const windows = [saved({ stage: "weights" }), saved({ stage: "raw_scores" }), saved({ stage: "weights", head: 2 })];
  assert.equal(
    contentsOf({ windows, isComplete: true, chosen }),
    "This file holds the weights of every head as numbers. The other stages (raw) it holds of Layer 1, head 2 alone.",
  );
  assert.match(contentsOf({ windows: windows.slice(2), isComplete: true, chosen }), /It holds no other stage\.$/);
});

test("a file of one head says so, and whether its cells are single numbers", () => {
  const one = contentsOf({ windows: [saved({ stage: "weights" })], isComplete: false, chosen });
  assert.match(
    one,
    /^This file holds the numbers of Layer 1, head 2 \(weights\)\. Of every other head .* small picture/,
  );
  const pooled = saved({ stage: "weights", shape: "3,3" });
  const coarse = contentsOf({ windows: [pooled], isComplete: false, chosen });
  assert.match(coarse, /in cells of several tokens each/);
  assert.doesNotMatch(coarse, /is exact/);
  const windows = [pooled, saved({ stage: "weights", rows: [2, 4], shape: "2,2" })];
  assert.match(contentsOf({ windows, isComplete: false, chosen }), /The window that was in view .* is exact\./);
});
