import assert from "node:assert/strict";
import { test } from "node:test";

import { maskedIn, mayAttend, reachOf, withoutMasked } from "../../../../static/js/explorer/state/allowed_keys.js";

/** Causal, and one that sees the previous token and itself. */
const CAUSAL = [
  [0, 1],
  [0, 2],
  [0, 3],
  [0, 4],
];
const LOCAL = [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 4],
];
/** A row of nothing, and one with a hole. */
const HOLED = [[], [0, 1], [0, 1, 2, 3], [0, 4]];

/** @param {(number | null)[][]} ofHeads */
const part = (ofHeads) => ({
  layers: ofHeads.length,
  heads: ofHeads[0].length,
  key_tokens: 4,
  allowed_keys: { masks: [CAUSAL, LOCAL, HOLED], of_heads: ofHeads },
});

test("a head's mask says which keys a query may attend to; a 0 beside it is no mask", () => {
  const may = mayAttend(part([[0, 2]]), [{ layer: 0, head: 1 }]);
  const allowed = [0, 1, 2, 3].map((query) => [0, 1, 2, 3].filter((key) => may?.([query, query + 1], [key, key + 1])));
  assert.deepEqual(allowed, [[], [0], [0, 2], [0, 1, 2, 3]]);
  assert.equal(mayAttend({ allowed_keys: null }, [{ layer: 0, head: 0 }]), null);
  assert.equal(mayAttend(part([[0, null]]), [{ layer: 0, head: 1 }]), null);
});

test("of several heads, words and larger cells, it is enough that one may", () => {
  const two = part([[1, 2]]);
  const both = mayAttend(
    two,
    [0, 1].map((head) => ({ layer: 0, head })),
  );
  assert.equal(both?.([2, 3], [0, 1]), true, "the second head");
  assert.equal(both?.([2, 3], [1, 2]), true, "the first head");
  assert.equal(both?.([0, 1], [1, 4]), false);
  assert.equal(both?.([0, 2], [1, 4]), true);
  const spans = /** @type {[number, number][]} */ ([
    [0, 2],
    [3, 4],
  ]); // the third token is hidden
  const isMasked = maskedIn(mayAttend(part([[1]]), [{ layer: 0, head: 0 }]), { queries: { spans }, keys: { spans } });
  assert.deepEqual(
    [0, 1].map((query) => [0, 1].map((key) => isMasked?.([query, query + 1], [key, key + 1]))),
    [
      [false, true],
      [true, false],
    ],
  );
  assert.equal(isMasked?.([0, 2], [0, 2]), false);
  const row = Float32Array.from([0, 1]);
  assert.deepEqual([...withoutMasked(row, isMasked, 0)], [0, -Infinity]);
  assert.equal(withoutMasked(row, undefined, 0), row);
});

test("through the layers a query has what its keys had", () => {
  const found = reachOf(part([[1], [1], [0]]), 3);
  const tokens = (/** @type {Uint8Array[]} */ layers) => layers.map((one) => [...one]);
  assert.deepEqual(tokens(found?.means ?? []), [
    [0, 0, 1, 1],
    [0, 0, 1, 1],
    [1, 1, 1, 1],
  ]);
  assert.deepEqual(tokens(found?.rollout ?? []), [
    [0, 0, 1, 1],
    [0, 1, 1, 1],
    [1, 1, 1, 1],
  ]);
  assert.deepEqual(tokens(reachOf(part([[2], [1]]), 0)?.rollout ?? []), [
    [1, 0, 0, 0],
    [1, 0, 0, 0],
  ]);
  assert.deepEqual(tokens(reachOf(part([[0], [null]]), 1)?.rollout ?? []), [
    [1, 1, 0, 0],
    [1, 1, 1, 1],
  ]);
  assert.equal(reachOf({ ...part([[0]]), allowed_keys: null }, 1), null);
});
