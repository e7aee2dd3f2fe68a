/** What masks allow against what reaches, on two layers of three tokens worked out by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CODES, countsOf, firstLayers, mapOf } from "../../../../static/js/explorer/reach/differences.js";

const { none, reached, shut, leak, unknown } = CODES;

/** Causal with a window of 2; in the second layer token 1 also sees token 2, and token 2 no longer itself. */
const REACH = {
  shape: /** @type {[number, number, number]} */ ([2, 3, 3]),
  may: Uint8Array.from([1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1]),
  change: Float32Array.from([2, 0, 0, 1, 2, 0, 0, 1, 2, 2, 0, 0, 1, 2, 0.5, 0.25, 1, 0]),
  weights: Float32Array.from([1, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 1, 0, 0, 0.5, 0.5, 0, 0, 1, 0]),
  exact: true,
  leaks: [],
  unused: 1,
  unknown: [],
  attention: /** @type {const} */ ("library"),
  case: /** @type {const} */ ("plain"),
  deviation: null,
};

test("a cell of the measured map says what is allowed and what reaches", () => {
  assert.deepEqual(
    [...mapOf(REACH, 0, "codes").values],
    [reached, none, none, reached, reached, none, none, reached, reached],
  );
  assert.deepEqual(
    [...mapOf(REACH, 1, "codes").values],
    [reached, none, none, reached, reached, leak, reached, reached, shut],
  );
});

test("of a key that could not be replaced nothing is said, nor is it counted as shut", () => {
  const unreplaced = { ...REACH, unknown: [2] };
  assert.deepEqual(
    [0, 1, 2].map((query) => mapOf(unreplaced, 1, "codes").values[3 * query + 2]),
    Array(3).fill(unknown),
  );
  assert.equal(countsOf(unreplaced)[1].shut, 0);
  assert.equal(countsOf(unreplaced)[1].may, 6);
});

test("the other maps are the layer's own numbers, a row for each query", () => {
  const { values, height, width, rows, cols } = mapOf(REACH, 1, "weights");
  assert.deepEqual([...values], [1, 0, 0, 0.5, 0.5, 0, 0, 1, 0]);
  assert.deepEqual([height, width, rows, cols], [3, 3, [0, 3], [0, 3]]);
  assert.deepEqual([...mapOf(REACH, 0, "may").values], [1, 0, 0, 1, 1, 0, 0, 1, 1]);
});

test("a pair is followed from the layer where it may be reached, and where it is", () => {
  assert.deepEqual(firstLayers(REACH, 2, 0), { may: 1, reached: 1 });
  assert.deepEqual(firstLayers(REACH, 1, 2), { may: null, reached: 1 });
  assert.deepEqual(firstLayers(REACH, 0, 2), { may: null, reached: null });
});

test("pairs are counted after each layer, and how far back they lead", () => {
  assert.deepEqual(countsOf(REACH), [
    { may: 5, looks: 5, reached: 5, leaks: 0, shut: 0, allowedBack: 1, farthest: 1 },
    { may: 6, looks: 4, reached: 6, leaks: 1, shut: 1, allowedBack: 2, farthest: 2 },
  ]);
});
