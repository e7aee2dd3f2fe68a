import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPoint } from "../../../../static/js/charts/plots/scatter_data.js";

test("keys go through the points of a series and over to the other", () => {
  const scatter = {
    series: [
      { name: "keys", ids: [1, 4, 7] },
      { name: "queries", ids: [2, 5, 8] },
    ],
  };
  const all = new Set("");
  const at = (/** @type {number} */ index, /** @type {number} */ id) => ({ series: index, id });
  assert.deepEqual(nextPoint(scatter, all, at(0, 1), "ArrowRight"), at(0, 4));
  assert.deepEqual(nextPoint(scatter, all, at(0, 7), "ArrowRight"), at(0, 7));
  assert.deepEqual(nextPoint(scatter, all, at(0, 7), "Home"), at(0, 1));
  assert.deepEqual(nextPoint(scatter, all, at(0, 4), "ArrowUp"), at(1, 5));
  assert.deepEqual(nextPoint(scatter, all, at(1, 8), "ArrowDown"), at(0, 7)); // no key has so large a number
  assert.deepEqual(nextPoint(scatter, new Set(["queries"]), at(0, 1), "ArrowUp"), at(0, 1), "the only one");
  assert.equal(nextPoint(scatter, all, at(1, 2), "Enter"), null);
});
