import assert from "node:assert/strict";
import { test } from "node:test";

import { digitsFor, largest, signed, strongest } from "../../../../static/js/explorer/widgets/signed_shares.js";

test("a share is said with its sign, and what rounds to 0 has none", () => {
  assert.equal(signed(1.234, 2), "+1.23");
  assert.equal(signed(-0.5, 1), "−0.5");
  assert.equal(signed(-0.004, 2), "0.00");
  assert.equal(signed(0.004, 2), "0.00");
});

test("there are as many digits as the largest needs for two that say something", () => {
  assert.equal(digitsFor([3, -12]), 2);
  assert.equal(digitsFor([0.5]), 2);
  assert.equal(digitsFor([0.05, -0.01]), 3);
  assert.equal(digitsFor([0.0008]), 5);
  assert.equal(digitsFor([1e-9]), 5);
  assert.equal(digitsFor([]), 2);
});

test("the strongest cells come first, by size and not by sign, without zeros", () => {
  const values = [0, -3, 1, 2, 0, -0.5];
  assert.deepEqual(strongest(values, 3, 3), [
    { row: 0, column: 1, value: -3 },
    { row: 1, column: 0, value: 2 },
    { row: 0, column: 2, value: 1 },
  ]);
  assert.equal(strongest(values, 3, 10).length, 4);
  assert.deepEqual(strongest([0, 0], 2, 5), []);
  assert.equal(largest(values), 3);
});

test("among many, the same as sorting all", () => {
  const values = Float32Array.from({ length: 500 }, (_, index) => Math.sin(index * 12.9898) * 43758.5453);
  const sorted = [...values].sort((one, other) => Math.abs(other) - Math.abs(one)).slice(0, 7);
  assert.deepEqual(
    strongest(values, 25, 7).map(({ value }) => value),
    sorted,
  );
});
