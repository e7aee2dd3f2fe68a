import assert from "node:assert/strict";
import test from "node:test";

import { cellOf, cellText } from "../../../../static/js/explorer/output/map.js";

const matrix = { values: Float32Array.from([1, -2, 3, 4, -9, 5]), height: 2, width: 3 };

test("a cell of the address is the cell chosen", () => {
  assert.equal(cellText({ query: 1, key: 2 }), "1.2");
  assert.deepEqual(cellOf("1.2", matrix), { query: 1, key: 2 });
  assert.deepEqual(cellOf("0.0", matrix), { query: 0, key: 0 });
});

test("without a cell, or with one outside the matrix, the strongest is chosen, whatever its sign", () => {
  assert.equal(cellText({ query: null, key: 2 }), "");
  for (const text of ["", "2.0", "0.3", "1", "a.b", "-1.0"])
    assert.deepEqual(cellOf(text, matrix), { query: 1, key: 1 }, text);
});
