import assert from "node:assert/strict";
import { test } from "node:test";

import { tellCell } from "../../../static/js/charts/cell_choice.js";

test("a cell is announced by its place, counted row by row", () => {
  /** @type {Record<string, string>} */
  const told = {};
  const slider = { setAttribute: (/** @type {string} */ name, /** @type {string} */ value) => (told[name] = value) };
  const values = [
    [0.1, 0.2, 0.7],
    [0.3, 0.3, 0.4],
  ];
  tellCell(/** @type {any} */ (slider), { row: 1, column: 2 }, values, "it → cat: 0.40");
  assert.deepEqual(told, {
    "aria-valuemin": "0",
    "aria-valuemax": "5",
    "aria-valuenow": "5",
    "aria-valuetext": "it → cat: 0.40",
  });
});
