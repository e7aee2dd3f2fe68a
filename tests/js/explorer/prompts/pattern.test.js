import assert from "node:assert/strict";
import { test } from "node:test";

import { cellWords, maskedInAll } from "../../../../static/js/explorer/prompts/pattern.js";

/** @param {number[]} values  2 × 2 */
const matrix = (values) =>
  /** @type {import("../../../../static/js/base/decode.js").Matrix} */ ({
    values: Float32Array.from(values),
    height: 2,
    width: 2,
    cellRows: 1,
    cellCols: 1,
    rows: [0, 2],
    cols: [0, 2],
  });
const counts = matrix([3, 2, 0, 3]);
const allowed = matrix([3, 0, 0, 3]);

test("a cell is masked where every prompt that has it masks it", () => {
  const isMasked = maskedInAll({ counts, allowed });
  assert.equal(isMasked([0, 1], [0, 1]), false);
  assert.equal(isMasked([0, 1], [1, 2]), true);
  assert.equal(isMasked([1, 2], [0, 1]), false, "no prompt has it");
  assert.equal(isMasked([0, 2], [0, 2]), false);
});

test("and no mean is written of it", () => {
  const position = (/** @type {number} */ index) => ({
    offset: index,
    slot: null,
    texts: ["ab"[index]],
    variants: 1,
    special: false,
  });
  const positions = [0, 1].map(position);
  const found = /** @type {import("../../../../static/js/api/prompts.js").PromptWeights} */ (
    /** @type {unknown} */ ({
      positions,
      key_positions: positions,
      align: "start",
      counts,
      allowed,
      mean: matrix([1, 0, 0, 0.5]),
      deviation: matrix([0, 0, 0, 0]),
    })
  );
  assert.match(cellWords(found, { query: 0, key: 1 }, 0), /masked in all prompts/);
  assert.match(cellWords(found, { query: 0, key: 0 }, 0), /1\.000 ± 0\.000 in 3 prompts/);
});
