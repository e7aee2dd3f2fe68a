import assert from "node:assert/strict";
import { test } from "node:test";

import { isAlike, isComparable, pairCandidates, subtract } from "../../../../static/js/explorer/compare/difference.js";

/** @typedef {import("../../../../static/js/base/decode.js").Matrix} Matrix */

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

/** @type {(list: [number, string, number][]) => import("../../../../static/js/api/types.js").Candidate[]} */
const candidates = (list) =>
  list.map(([id, text, probability]) => ({ id, text, probability, logit: 0, written: null }));

/** @param {import("../../../../static/js/explorer/compare/difference.js").CandidatePair[]} pairs */
const listed = (pairs) => pairs.map(({ piece, first, second }) => [piece.id, first, second]);

test("candidates of one model meet by their number, the most probable of either first", () => {
  const first = candidates([
    [1, "?", 0.5],
    [2, "?", 0.3],
  ]);
  const second = candidates([
    [3, "?", 0.9],
    [1, "?", 0.1],
  ]);
  assert.deepEqual(listed(pairCandidates(first, second, true)), [
    [3, null, 0.9],
    [1, 0.5, 0.1],
    [2, 0.3, null],
  ]);
});

test("candidates of two models meet by their text", () => {
  const pairs = pairCandidates(candidates([[1, "cat", 0.5]]), candidates([[7, "cat", 0.2]]), false);
  assert.deepEqual(listed(pairs), [[1, 0.5, 0.2]]);
});

test("where several tokens of a model have one text, none of the other model is taken for either", () => {
  const first = candidates([
    [1, "?", 0.5],
    [2, "?", 0.3],
  ]);
  assert.deepEqual(listed(pairCandidates(first, candidates([[2, "?", 0.4]]), false)), [
    [1, 0.5, null],
    [2, null, 0.4],
    [2, 0.3, null],
  ]);
});

test("the server subtracts parts of one kind and shape", () => {
  const part = { name: "encoder", layers: 6, heads: 12, query_tokens: 3, key_tokens: 3 };
  assert.equal(isComparable(part, { ...part }), true);
  for (const other of [{ name: "decoder" }, { layers: 5 }, { heads: 6 }, { query_tokens: 4 }, { key_tokens: 4 }]) {
    assert.equal(isComparable(part, { ...part, ...other }), false, JSON.stringify(other));
  }
});
