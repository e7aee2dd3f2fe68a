import assert from "node:assert/strict";
import { test } from "node:test";

import { elementAt, elementsOf } from "../../../../static/js/explorer/vectors/elements.js";

const vectors = /** @type {any} */ ({
  products: [2, -6, 3],
  query_token: { query: [1, 2, 3] },
  key_token: { key: [2, -3, 1] },
});

test("the sum follows the order in which elements are shown", () => {
  assert.deepEqual(
    elementsOf(vectors, "").map(({ index, sum }) => [index, sum]),
    [
      [0, 2],
      [1, -4],
      [2, -1],
    ],
  );
  assert.deepEqual(
    elementsOf(vectors, "size").map(({ index, query, key, product, sum }) => [index, query, key, product, sum]),
    [
      [1, 2, -3, -6, -6],
      [2, 3, 1, 3, -3],
      [0, 1, 2, 2, -1],
    ],
  );
});

test("a token without a vector has zeros", () => {
  const [first] = elementsOf({ ...vectors, query_token: { query: null } }, "");
  assert.equal(first.query, 0);
});

test("the element below the pointer", () => {
  assert.deepEqual(
    [0, 0.34, 0.999, 1, -0.1].map((share) => elementAt(share, 3)),
    [0, 1, 2, null, null],
  );
  assert.equal(elementAt(0.5, 0), null);
});
