import assert from "node:assert/strict";
import { test } from "node:test";
import { besideSpot, placeNames } from "../../../../static/js/charts/scatter/names.js";

test("names stand beside their points, cover nothing, and are left out where there is no room", () => {
  const picture = { width: 200, height: 100 };
  const name = (/** @type {number} */ x, /** @type {number} */ y) => ({ at: { x, y }, width: 40, height: 12, size: 4 });
  const dot = (/** @type {number} */ x, /** @type {number} */ y, reach = 4) => ({ x, y, reach });
  assert.deepEqual(placeNames([name(100, 50)], [dot(100, 50)], picture), ["middle right"]);
  assert.deepEqual(placeNames([name(190, 50)], [], picture), ["middle left"], "at the edge");
  const beside = placeNames([name(100, 50)], [dot(100, 50), dot(120, 50)], picture);
  assert.deepEqual(beside, ["middle left"], "another point is there");
  assert.deepEqual(placeNames([name(80, 50)], [dot(131, 50)], picture), ["middle right"], "just beside another");
  assert.deepEqual(placeNames([name(80, 50)], [dot(131, 50, 9)], picture), ["middle left"], "a larger one");
  const same = Array.from({ length: 12 }, () => name(100, 50));
  const placed = placeNames(same, [], picture).filter((side) => side !== null);
  assert.ok(placed.length >= 4 && placed.length < 12);
  assert.equal(new Set(placed).size, placed.length, "each at a side of its own");
  const crowd = Array.from({ length: 400 }, (_, index) => dot((index % 20) * 10, Math.floor(index / 20) * 5));
  const crowded = [name(100, 50), { ...name(100, 50), needed: true }];
  assert.deepEqual(placeNames(crowded, crowd, picture), [null, "middle right"]);
});

test("a name's text stands beside, above or below its point, clear of the mark", () => {
  const lines = { above: -3, middle: 4, below: 11 };
  const spot = { x: 100, y: 50 };
  assert.deepEqual(besideSpot(spot, "middle right", 8, lines), { x: 108, y: 54, "text-anchor": "start" });
  assert.deepEqual(besideSpot(spot, "top left", 8, lines), { x: 92, y: 39, "text-anchor": "end" });
  assert.deepEqual(besideSpot(spot, "bottom center", 8, lines), { x: 100, y: 69, "text-anchor": "middle" });
});
