import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CELL_GROUP,
  othersMean,
  scoresOf,
  weightsAt,
} from "../../../../../static/js/explorer/state/measures/cell_measures.js";

/** Of one layer with two heads and three keys: sums of what counts for each key, then how many weights these are. */
const TOTALS = Float32Array.of(1, 0.9, 0.1, 2, 2, 2, 0.2, 1.4, 0.4, 2, 2, 0);
/** @type {NonNullable<import("../../../../../static/js/api/types.js").Part["key_totals"]>} */
const key_totals = { dtype: "f4", shape: "1,2,2,3", bdata: Buffer.from(TOTALS.buffer).toString("base64") };
/** @type {Parameters<typeof scoresOf>[0]} */
const part = { key_totals, query_side: "source", key_side: "source" };
const round = (/** @type {number[][]} */ values) => values.map((row) => row.map((one) => Number(one.toFixed(3))));

test("a cell's weight is found in each head, 0 where the mask leaves its key out", () => {
  const reads = { indices: [[[2, 0, 1], [0]]], weights: [[[0.5, 0.3, 0.2], [1]]] };
  assert.deepEqual(weightsAt(reads, 1), [[0.2, 0]]);
  assert.deepEqual(weightsAt(reads, 0), [[0.3, 1]]);
});

test("beside it stands what the other queries give the same key", () => {
  const { cell_weight: weight, cell_above: above } = scoresOf(part, { query: 0, key: 1 }, [[0.7, 0.7]]);
  assert.deepEqual(weight, [[0.7, 0.7]]);
  assert.deepEqual(round(above), [[0.5, 0]], "0.7 − 0.2, and 0.7 − 0.7: there every query gives it the same");
  assert.deepEqual(round(scoresOf(part, { query: 1, key: 1 }, [[0.7, 0.7]]).cell_above), [[0.25, 0]], "on itself");
  assert.equal(othersMean(part, { layer: 0, head: 1, key: 2 }, null), null, "no other query may attend to it");
  assert.equal(othersMean({}, { layer: 0, head: 0, key: 0 }, 0.5), null);
});

test("it can be had where a text is short enough for the sums to be known", () => {
  const fits = (/** @type {object} */ one) => CELL_GROUP.fits(/** @type {any} */ ({}), /** @type {any} */ (one));
  assert.ok(fits({ key_totals, key_tokens: 3 }));
  assert.ok(!fits({ key_totals: null, key_tokens: 3 }));
});
