import assert from "node:assert/strict";
import { test } from "node:test";

import { otherThan } from "../../../../static/js/explorer/guide/guided_look.js";

/** @typedef {Parameters<typeof otherThan>[1]} Found */

const BEFORE = { layer: 1, head: 7, query: 3, key: 2 };
const found = (/** @type {object[]} */ ...heads) => /** @type {Found} */ (heads);

test("the first other head that stands out is opened, with its cell if it has one", () => {
  const own = { layer: 1, head: 7, query: 0, key: 0 };
  const [link, plain] = [
    { layer: 2, head: 7, query: 5, key: 4, value: 1 },
    { layer: 1, head: 0, value: 1 },
  ];
  assert.deepEqual(otherThan(BEFORE, found(own, link, plain), 8), { layer: 2, head: 7, query: 5, key: 4 });
  assert.deepEqual(otherThan(BEFORE, found(plain, link), 8), { layer: 1, head: 0 });
});

test("where none stands out, it is the next of the layer, after the last the first", () => {
  assert.deepEqual(otherThan(BEFORE, [], 12), { head: 8 });
  assert.deepEqual(otherThan(BEFORE, found({ layer: 1, head: 7 }), 8), { head: 0 });
});
