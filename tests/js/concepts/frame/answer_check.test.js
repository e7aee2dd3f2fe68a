import assert from "node:assert/strict";
import { test } from "node:test";

import { judge, readNumber, verdictText } from "../../../../static/js/concepts/frame/answer_check.js";
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

/** @param {string} typed @param {number} expected @param {number} [tolerance] */
const judged = (typed, expected, tolerance = 0.0006) => judge(typed, expected, tolerance);

test("an answer is right within its tolerance", () => {
  assert.equal(judged("0.805", 0.8044), "right");
  assert.equal(judged("0.8051", 0.8044), "near");
  assert.equal(judged("1/4", 0.25), "right");
  assert.equal(judged("0", 0), "right");
});

test("a rounded answer is right, one with too few digits is not", () => {
  assert.equal(judged("0.27", 0.2689), "rounded");
  assert.equal(judged(".73", 0.7311), "rounded");
  assert.equal(judged("0.26", 0.2689), "wrong");
  assert.equal(judged("0.3", 0.2689), "short");
  assert.equal(judged("0.04", 0.0373), "short");
  assert.equal(judged("−0.99", -0.9899), "right");
  assert.equal(judged("−1.00", -0.99), "near");
  assert.equal(judged("5.98", 5.978, 0.001), "rounded");
  assert.equal(judged("33", 32.5, 0.01), "near", "a whole number is no rounded 32.5");
});

test("per cent are read as such", () => {
  assert.equal(judged("27%", 0.2689), "rounded");
  assert.equal(judged("26.9 ％", 0.2689), "right");
  assert.equal(judged("27.00%", 0.2689), "near", "as many digits as were written must be right");
  assert.equal(judged("1/3%", 1 / 300), "right");
  assert.equal(judged("11.1%", 11.1), "right", "where per cent are asked for");
  assert.equal(judged("half%", 0.5), "unreadable");
  assert.equal(judged("%", 0.5), "unreadable");
});

test("nothing, what is no number, and a wrong number are told apart", () => {
  assert.equal(judged("  ", 0.25), "empty");
  assert.equal(judged("a quarter", 0.25), "unreadable");
  assert.equal(judged("1/0", 0.25), "unreadable");
  assert.equal(judged("0.5", 0.25), "wrong");
});

test("where the exact number is asked, only a large one can be nearly right", () => {
  assert.equal(judged("11,720,448", 11720448, 0), "right");
  assert.equal(judged("11,700,000", 11720448, 0), "near");
  assert.equal(judged("12", 13, 0), "wrong");
});

test("a verdict names the numbers that need work", () => {
  const one = { labels: ["α"], expected: [0.2689], tolerance: 0.0006 };
  assert.equal(verdictText(["right"], one), "Right.");
  assert.equal(verdictText(["rounded"], one), "Right, rounded: 0.2689.");
  assert.equal(verdictText(["empty"], one), "Nothing is entered yet.");
  const three = { labels: ["α₀", "α₁", "α₂"], expected: [0.2689, 0.7311, 0], tolerance: 0.0006 };
  assert.equal(verdictText(["rounded", "rounded", "right"], three), "Right, rounded: 0.2689, 0.7311.");
  assert.equal(verdictText(["right", "wrong", "empty"], three), "1 of 3 are right. Still empty: α₂.");
  assert.equal(verdictText(["short", "near", "wrong"], three), "Too few digits: α₀. Nearly right: α₁.");
  assert.equal(verdictText(["wrong", "wrong", "wrong"], three), verdictText(["wrong"], one));
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
