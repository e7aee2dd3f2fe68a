import assert from "node:assert/strict";
import { test } from "node:test";

import { literal, tensor } from "../../../../static/js/base/code/python_code.js";

test("numbers are floats unless whole numbers are wanted", () => {
  assert.equal(literal([1, 2.5, -3]), "[1.0, 2.5, -3.0]");
  assert.equal(literal([1, 2], { whole: true }), "[1, 2]");
  assert.equal(literal([1e-7, 1e21]), "[1e-7, 1e+21]");
});

test("truth, text and minus infinity are Python's", () => {
  assert.equal(literal([true, false]), "[True, False]");
  assert.equal(literal("it's"), `"it's"`);
  assert.equal(literal("-Infinity"), "-torch.inf");
});

test("objects and null are Python's", () => {
  const value = { kind: "off", heads: [1, 2], mode: null, all: true };
  assert.equal(literal(value, { whole: true }), '{"kind": "off", "heads": [1, 2], "mode": None, "all": True}');
});

test("a matrix has a line for each row", () => {
  assert.deepEqual(tensor("a", [1, 2]), ["a = torch.tensor([1.0, 2.0])"]);
  assert.deepEqual(tensor("a", [[1, 0]]), ["a = torch.tensor([[1.0, 0.0]])"]);
  assert.deepEqual(tensor("a", [[1], [2]]), ["a = torch.tensor([", "    [1.0],", "    [2.0],", "])"]);
});
