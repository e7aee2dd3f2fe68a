import assert from "node:assert/strict";
import { test } from "node:test";

import {
  chained,
  columnOf,
  distributionOf,
  largestOf,
  meanOf,
  rowOf,
} from "../../../../static/js/explorer/data/recorded_studies.js";

test("rollout is the product of ½ weights + ½ identity over layers", () => {
  const first = Float32Array.from([1, 0, 0.5, 0.5]);
  const second = Float32Array.from([0.5, 0.5, 0.25, 0.75]);
  // A₁ = [[1, 0], [¼, ¾]], A₂ = [[¾, ¼], [⅛, ⅞]]; A₂ A₁ by hand
  const found = chained([first, second], 2).map((rows) => [...rows]);
  assert.deepEqual(found, [
    [1, 0, 0.25, 0.75],
    [0.8125, 0.1875, 0.34375, 0.65625],
  ]);
  assert.deepEqual([...meanOf([first, second])], [0.75, 0.25, 0.375, 0.625]);
});

test("weights to a word are summed over its tokens, those from it averaged", () => {
  const weights = Float32Array.from([0.5, 0.25, 0.25, 0.25, 0.5, 0.25]); // 2 queries × 3 keys
  assert.deepEqual([...rowOf(weights, 3, [0, 2])], [0.375, 0.375, 0.25]);
  assert.deepEqual([...columnOf(weights, 3, [1, 3])], [0.5, 0.75]);
  const line = Float64Array.from([0.5, 0.125, 0.25, 0.125]);
  const found = largestOf(
    line,
    [
      [0, 1],
      [2, 4],
    ],
    5,
    "sum",
    () => true,
  ); // the second token is hidden
  assert.deepEqual(found, { indices: [0, 2], weights: [0.5, 0.375], total: 0.875 });
  assert.deepEqual(
    largestOf(
      line,
      [
        [0, 1],
        [2, 4],
      ],
      1,
      "mean",
      () => true,
    ),
    { indices: [0], weights: [0.5], total: 0.6875 },
  );
});

test("what the mask forbids is not listed, what underflows is", () => {
  const line = Float64Array.from([0, 1, 0]);
  const found = largestOf(
    line,
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
    5,
    "sum",
    ([first]) => first < 2,
  );
  assert.deepEqual(found, { indices: [1, 0, -1], weights: [1, 0, 0], total: 1 });
});

test("a distribution counts what the mask lets through, the largest value in the last bin", () => {
  const values = Float32Array.from([1, 2, 3, 5, -Infinity, -Infinity]);
  const head = {
    values,
    isVisible: (/** @type {number} */ cell) => cell < 4,
    weights: Float32Array.from([0.5, 0.5, 0, 1, 0, 0]),
  };
  const found = distributionOf(head, 3, 4);
  assert.deepEqual(found.edges, [1, 2, 3, 4, 5]);
  assert.deepEqual(found.counts, [1, 1, 1, 1]);
  assert.deepEqual([found.mean, found.minimum, found.maximum, found.masked], [2.75, 1, 5, 2]);
  assert.ok(Math.abs(Number(found.standard_deviation) - Math.sqrt(2.1875)) < 1e-12);
  assert.deepEqual(
    found.row_entropy.map((entropy) => entropy.toFixed(4)),
    ["0.6931", "0.0000"],
  );
  const nothing = distributionOf({ ...head, isVisible: () => false }, 3, 2);
  assert.deepEqual([nothing.edges, nothing.counts, nothing.mean], [[0, 0.5, 1], [0, 0], 0]);
});
