import assert from "node:assert/strict";
import { test } from "node:test";

import { layoutOf } from "../../../static/js/charts/matrix_layout.js";

const values = Array.from({ length: 13 }, () => Array.from({ length: 13 }, () => 0.25));
/** @type {import("../../../static/js/charts/matrix.js").MatrixMark} */
const matrix = { title: "weights", values, scale: "weight", chosen: { row: 2, column: 3 } };

test("where numbers have no room, the chosen cell's is below the matrix", () => {
  const [narrow, wide] = [layoutOf(matrix, 360), layoutOf(matrix, 600)];
  assert.equal(narrow.hasNumbers, false);
  assert.ok(narrow.below > narrow.top + 13 * narrow.high && narrow.below < narrow.height);
  assert.equal(wide.hasNumbers, true);
  assert.equal(wide.below, 0);
  assert.equal(layoutOf({ ...matrix, chosen: { row: 2, column: -1 } }, 360).below, 0);
});
