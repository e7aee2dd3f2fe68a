import assert from "node:assert/strict";
import { test } from "node:test";

import { cellWords, maskedInAll, sightOf, valuesOf } from "../../../../static/js/explorer/prompts/pattern.js";

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

test("another alignment is shown whole; the same one stays as it was zoomed", () => {
  const position = { offset: 0, slot: null, texts: ["a"], variants: 1, count: 1, special: false };
  const averaged = { positions: [position, position], key_positions: [position, position, position] };
  const whole = sightOf(null, "s1 encoder start", averaged);
  assert.deepEqual([whole.rows, whole.cols, whole.pointed], [[0, 2], [0, 3], { query: null, key: null }]);
  const zoomed = { ...whole, rows: /** @type {[number, number]} */ ([1, 2]), pointed: { query: 1, key: 0 } };
  assert.equal(sightOf(zoomed, "s1 encoder start", averaged), zoomed);
  assert.deepEqual(sightOf(zoomed, "s1 encoder end", averaged), { ...whole, of: "s1 encoder end" });
});

test("a mean's colours are those of weights, a spread's end at its largest number", () => {
  const averaged = { mean: matrix([1, 0, 0.5, 0.5]), deviation: matrix([0, 0, 0.25, 0.125]) };
  const shown = (/** @type {boolean} */ isSpread, /** @type {"" | "0" | "1"} */ faint) => {
    const { stage, limits, isFaint, note } = valuesOf(averaged, { isSpread, faint });
    return [stage, limits, isFaint, note !== ""];
  };
  assert.deepEqual(shown(false, ""), ["mean", [0, 1], false, false]);
  assert.deepEqual(shown(false, "1"), ["mean", [0, 1], true, false], "the reader chose it");
  assert.deepEqual(shown(true, ""), ["deviation", [0, 0.25], true, true]);
  const none = valuesOf({ ...averaged, deviation: matrix([0, 0, 0, 0]) }, { isSpread: true, faint: "" });
  assert.deepEqual(none.limits, [0, 1e-6]);
});
