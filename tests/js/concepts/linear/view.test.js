import assert from "node:assert/strict";
import { test } from "node:test";

import { biasMarks } from "../../../../static/js/concepts/linear/view.js";

test("scores with biases are those without, the query's part, the key's part and a constant, on one scale", () => {
  const state = /** @type {any} */ ({ sequence: "1", query: 0, key: 1 });
  const other = [[0]];
  const { scores, parts } = biasMarks(state, {
    with_bias: [other, [[4, -6], [1, 2]]],
    without_bias: [other, [[1, -8], [-2, 0]]],
    query_offset: [other, [[2], [2]]],
    key_offset: [other, [[0, -1]]],
    constant: 1,
  }); // prettier-ignore
  assert.deepEqual([scores[0].values, scores[1].values], [[[4, -6], [1, 2]], [[1, -8], [-2, 0]]]); // prettier-ignore
  assert.deepEqual([...scores, ...parts].map(({ most }) => most), Array(5).fill(8)); // prettier-ignore
  assert.deepEqual(scores[0].chosen, { row: 0, column: 1 });
  assert.deepEqual(parts.map(({ values, chosen }) => [values, chosen]), [
    [[[2], [2]], { row: 0, column: 0 }],
    [[[0, -1]], { row: 0, column: 1 }],
    [[[1]], undefined],
  ]); // prettier-ignore
});
