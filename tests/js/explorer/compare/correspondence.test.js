import assert from "node:assert/strict";
import { test } from "node:test";

import { correspondence } from "../../../../static/js/explorer/compare/correspondence.js";

/** "[CLS] un believ able ! [SEP]" beside "unbel ievable !": the first and the last have no counterpart. */
const units = [
  { first: [1, 2, 3], second: [0, 1] },
  { first: [4], second: [2] },
];
const alignment = { units, alone: { first: [0, 5], second: [] }, isIdentity: false, isOneToOne: false };
const counts = { first: 6, second: 3 };

test("a token leads to what belongs to it, and one that is alone nowhere", () => {
  const { toOther, toOwn, unitOf, ownOf } = correspondence(alignment, "first", counts);
  assert.deepEqual([0, 1, 2, 3, 4, 5, null].map(toOther), [null, 0, 0, 0, 2, null, null]);
  assert.deepEqual([0, 1, 2].map(toOwn), [1, 1, 4]);
  assert.deepEqual([0, 1, 3, 4, 5].map(unitOf), [null, 0, 0, 1, null]);
  assert.deepEqual([0, 1, 2].map(ownOf), [1, 4, null]);
});

test("windows lead to windows, and all to all", () => {
  const { rangeToOther, rangeToOwn, unitsIn, tokensIn } = correspondence(alignment, "first", counts);
  assert.deepEqual(rangeToOther([0, 6]), [0, 3]);
  assert.deepEqual(rangeToOther([2, 3]), [0, 2]);
  assert.deepEqual(rangeToOther([4, 6]), [2, 3]);
  assert.deepEqual(rangeToOther([0, 1]), [0, 3]);
  assert.deepEqual(rangeToOwn([2, 3]), [4, 5]);
  assert.deepEqual(unitsIn([0, 6]), [0, 2]);
  assert.deepEqual(unitsIn([3, 4]), [0, 1]);
  assert.deepEqual(tokensIn([0, 2]), [0, 6]);
  assert.deepEqual(tokensIn([0, 1]), [1, 4]);
});

test("seen from the other run it is the same way back", () => {
  const { toOther, toOwn } = correspondence(alignment, "second", counts);
  assert.deepEqual([0, 1, 2].map(toOther), [1, 1, 4]);
  assert.deepEqual([0, 1, 4].map(toOwn), [null, 0, 2]);
});
