import assert from "node:assert/strict";
import { test } from "node:test";

import { columnOrder } from "../../../../static/js/explorer/widgets/heads_table.js";
import { nextOrder, sortOf } from "../../../../static/js/explorer/widgets/sort_heading.js";

/** @typedef {"name" | "mean" | "most"} Column */

test("a click turns the column that sorts, and begins another with its largest or, of a name, its least value", () => {
  let order = { column: /** @type {Column} */ ("name"), isDescending: false };
  const clicks = /** @type {const} */ (["mean", "mean", "most", "mean", "name", "name", "name"]);
  const told = clicks.map((column) => {
    order = nextOrder(order, column, ["name"]);
    return [order.column, sortOf(order, column)];
  });
  assert.deepEqual(told, [
    ["mean", "descending"],
    ["mean", "ascending"],
    ["most", "descending"],
    ["mean", "descending"],
    ["name", "ascending"],
    ["name", "descending"],
    ["name", "ascending"],
  ]);
});

test("only the column that sorts says so", () => {
  const order = { column: /** @type {Column} */ ("mean"), isDescending: true };
  const columns = /** @type {const} */ (["name", "mean", "most"]);
  assert.deepEqual(
    columns.map((column) => sortOf(order, column)),
    [null, "descending", null],
  );
});

test("a title sorts by its measure, largest first; pressed again, smallest first; heads count up first", () => {
  assert.deepEqual(columnOrder("", "entropy"), { sort: null, next: "-entropy" });
  assert.deepEqual(columnOrder("-entropy", "entropy"), { sort: "descending", next: "entropy" });
  assert.deepEqual(columnOrder("entropy", "entropy"), { sort: "ascending", next: "-entropy" });
  assert.deepEqual(columnOrder("", ""), { sort: "ascending", next: "-" });
  assert.deepEqual(columnOrder("-", ""), { sort: "descending", next: "" });
  assert.deepEqual(columnOrder("-entropy", ""), { sort: null, next: "" });
});
