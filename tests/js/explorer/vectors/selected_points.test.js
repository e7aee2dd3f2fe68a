import assert from "node:assert/strict";
import test from "node:test";

import { createSelection } from "../../../../static/js/explorer/vectors/selected_points.js";

const points = /** @type {Parameters<ReturnType<typeof createSelection>["set"]>[0]} */ ([
  { role: "query", token: 3 },
  { role: "key", token: 1 },
  { role: "query", token: 5 },
]);
const strip = { queries: [3, 5], keys: [1] };
const nothing = { queries: [], keys: [] };

test("a selection stays for the same text, and another text drops it", () => {
  /** @type {object[]} */
  const told = [];
  const selection = createSelection((selected) => void told.push(selected));
  const [text, other] = [[], []];
  assert.deepEqual([selection.among(text), told], [[], []]);
  selection.set(points);
  assert.deepEqual([selection.among(text), told], [points, [strip]]);
  assert.deepEqual([selection.among(other), told], [[], [strip, nothing]]);
});

test("the strip's marks go with the plane and come back with it", () => {
  /** @type {object[]} */
  const told = [];
  const selection = createSelection((selected) => void told.push(selected));
  const text = {};
  selection.hide();
  assert.deepEqual(told, []);
  selection.among(text);
  selection.set(points);
  selection.hide();
  selection.hide();
  assert.deepEqual(selection.among(text), points);
  assert.deepEqual(told, [strip, nothing, strip]);
});
