import assert from "node:assert/strict";
import { test } from "node:test";

import { around } from "../../../../static/js/charts/heat_map/minimap.js";

const size = { queries: 100, keys: 200 };

test("a press moves the window's middle there, and it stays as large", () => {
  const from = {
    rows: /** @type {[number, number]} */ ([0, 20]),
    cols: /** @type {[number, number]} */ ([0, 40]),
    size,
  };
  assert.deepEqual(around(from, 0.5, 0.25), { rows: [15, 35], cols: [80, 120] });
});

test("at the edges it stays within the whole", () => {
  const from = {
    rows: /** @type {[number, number]} */ ([0, 20]),
    cols: /** @type {[number, number]} */ ([0, 40]),
    size,
  };
  assert.deepEqual(around(from, 1, 0), { rows: [0, 20], cols: [160, 200] });
});
