import assert from "node:assert/strict";
import { test } from "node:test";

import { bothMasked } from "../../../../static/js/explorer/compare/run_difference.js";

test("a unit is masked where its tokens are in both runs", () => {
  const causal = (/** @type {[number, number]} */ queries, /** @type {[number, number]} */ keys) =>
    keys[0] >= queries[1];
  const nothing = () => false;
  // “unreal” is two tokens of the first run and one of the second.
  const units = [
    { first: [0], second: [0] },
    { first: [1, 2], second: [1] },
    { first: [3], second: [2] },
  ];
  const found = (/** @type {typeof causal} */ first, /** @type {typeof causal} */ second) =>
    [0, 1, 2].map((query) =>
      [0, 1, 2].map((key) => bothMasked(first, second, { units }, { units })([query, query + 1], [key, key + 1])),
    );
  assert.deepEqual(found(causal, causal), [
    [false, true, true],
    [false, false, true],
    [false, false, false],
  ]);
  assert.deepEqual(found(causal, nothing).flat().includes(true), false);
  assert.equal(bothMasked(causal, causal, { units }, { units })([0, 2], [1, 3]), false);
});
