import assert from "node:assert/strict";
import { test } from "node:test";

import { check, readNumber } from "../../../../static/js/concepts/frame/exercises.js";
import { readTable } from "../../../../static/js/charts/matrix_input.js";

test("numbers are read as people write them", () => {
  const written = {
    ".5": 0.5,
    "−3": -3,
    "1/3": 1 / 3,
    "1,048,576": 1048576,
    "2e-3": 0.002,
    "１２": 12,
    " 7 ": 7,
    "-1/4": -0.25,
  };
  for (const [typed, value] of Object.entries(written)) assert.equal(readNumber(typed), value, typed);
  for (const typed of ["", "a", "1/", "/2", "1/2/3", "1,2"]) assert.ok(Number.isNaN(readNumber(typed)), typed);
});

test("an answer is right within its tolerance, each number for itself", () => {
  const exercise = { expected: [0.8044, 0.1956], tolerance: 0.0006 };
  assert.deepEqual(check([0.805, 0.195], exercise), [true, true]);
  assert.deepEqual(check([0.8051, 0.195], exercise), [false, true]);
  assert.deepEqual(check([NaN], exercise), [false, false]);
});

test("tables are pasted as spreadsheets, files and programs write them", () => {
  const table = [
    [1, 2.5],
    [-3, 4],
  ];
  for (const text of [
    "1\t2.5\n−3\t4\n",
    "1,2.5\r\n-3,4",
    "[[1, 2.5], [-3, 4]]",
    "[[ 1.   2.5]\n [-3.   4. ]]",
    "1 2.5; -3 4",
  ]) {
    assert.deepEqual(readTable(text), table, text);
  }
  for (const text of ["", "a\tb", "1\t2\n3", "NaN"]) assert.equal(readTable(text), null, text);
});
