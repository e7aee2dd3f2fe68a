import assert from "node:assert/strict";
import { test } from "node:test";

import { isAlike, pairCandidates, subtract } from "../../static/js/difference.js";

/** @typedef {import("../../static/js/types.js").Matrix} Matrix */

/** @type {(values: number[], rows?: [number, number]) => Matrix} */
const matrix = (values, rows = [0, 2]) => ({
  values: Float32Array.from(values),
  height: 2,
  width: 2,
  rows,
  cols: [0, 2],
  cellRows: 1,
  cellCols: 1,
});

test("second minus first, cell by cell", () => {
  const difference = subtract(matrix([1, 0.5, 0, 0.25]), matrix([0.5, 0.75, 0, 1]));
  assert.deepEqual([...(difference?.values ?? [])], [-0.5, 0.25, 0, 0.75]);
  assert.deepEqual(difference?.rows, [0, 2]);
});

test("what is masked in either is masked", () => {
  const difference = subtract(matrix([-Infinity, -Infinity, 1, 2]), matrix([-Infinity, 1, -Infinity, 2]));
  assert.deepEqual([...(difference?.values ?? [])], [-Infinity, -Infinity, -Infinity, 0]);
});

test("other cells have no difference", () => {
  assert.equal(subtract(matrix([1, 2, 3, 4]), matrix([1, 2, 3, 4], [1, 3])), null);
  assert.equal(isAlike({ query_tokens: 3, key_tokens: 4 }, { query_tokens: 3, key_tokens: 4 }), true);
  assert.equal(isAlike({ query_tokens: 3, key_tokens: 4 }, { query_tokens: 4, key_tokens: 4 }), false);
  assert.equal(isAlike({ query_tokens: 3, key_tokens: 4 }, { query_tokens: 3, key_tokens: 5 }), false);
});

test("candidates meet by their text, the most probable of either first", () => {
  const of = (/** @type {[string, number][]} */ list) =>
    list.map(([text, probability], id) => ({ id, text, probability, logit: 0 }));
  assert.deepEqual(pairCandidates(of([["a", 0.5], ["b", 0.3]]), of([["c", 0.9], ["a", 0.1]])), [
    { text: "c", first: null, second: 0.9 },
    { text: "a", first: 0.5, second: 0.1 },
    { text: "b", first: 0.3, second: null },
  ]); // prettier-ignore
});
