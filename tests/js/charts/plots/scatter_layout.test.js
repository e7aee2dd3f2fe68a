import assert from "node:assert/strict";
import { test } from "node:test";

import { toggled, nextPoint, united } from "../../../../static/js/charts/plots/scatter_data.js";
import {
  extentOf,
  heightOf,
  nearest,
  placeNames,
  rangesOf,
  spotOf,
  wholeOf,
} from "../../../../static/js/charts/plots/scatter_layout.js";

/** @typedef {[number, number]} Point */

test("points are drawn to one scale, upward and inside the edges", () => {
  /** @type {Point[]} */
  const points = [
    [-2, -1],
    [3, 1],
    [0, 0.5],
  ];
  for (const width of [290, 640, 1000]) {
    const size = { width, height: heightOf(points, width) };
    const extent = wholeOf(points, size);
    const [first, second] = points.map((point) => spotOf(point, extent, size));
    const scale = (second.x - first.x) / 5;
    assert.ok(Math.abs((first.y - second.y) / 2 - scale) < 1e-9, "both axes alike, y up");
    for (const spot of points.map((point) => spotOf(point, extent, size))) {
      assert.ok(spot.x >= 44 - 1e-9 && spot.x <= width - 44 + 1e-9);
      assert.ok(spot.y >= 30 - 1e-9 && spot.y <= size.height - 30 + 1e-9);
    }
  }
});

test("a tall plane is no taller than 460, and a single point stands in the middle", () => {
  /** @type {Point[]} */
  const tall = [
    [0, 0],
    [1, 50],
  ];
  const size = { width: 640, height: heightOf(tall, 640) };
  assert.equal(size.height, 460);
  assert.deepEqual(
    tall.map((point) => Math.round(spotOf(point, wholeOf(tall, size), size).y)),
    [430, 30],
  );
  assert.deepEqual(spotOf([7, 7], wholeOf([[7, 7]], size), size), { x: 320, y: 230 });
});

test("axes show as many units to a pixel, and their ranges say what is in view", () => {
  const size = { width: 600, height: 300 };
  const extent = { middle: /** @type {const} */ ([1, -2]), unit: 0.01 };
  const { x, y } = rangesOf(extent, size);
  assert.deepEqual([x, y], [[-2, 4], [-3.5, -0.5]]); // prettier-ignore
  assert.deepEqual(extentOf(x, y, size), extent);
  assert.deepEqual(spotOf([4, -0.5], extent, size), { x: 600, y: 0 }, "the upper right corner");
});

test("the nearest point is found within reach, of equals the last drawn", () => {
  const spots = [
    { x: 0, y: 0, name: "first" },
    { x: 10, y: 0, name: "second" },
    { x: 10, y: 0, name: "third" },
  ];
  assert.equal(nearest(spots, { x: 4, y: 0 }, 9)?.name, "first");
  assert.equal(nearest(spots, { x: 6, y: 0 }, 9)?.name, "third");
  assert.equal(nearest(spots, { x: 6, y: 30 }, 9), null);
});

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

test("keys go through the points of a series and over to the other", () => {
  const series = [{ ids: [1, 4, 7] }, { ids: [2, 5, 8] }];
  const at = (/** @type {number} */ index, /** @type {number} */ id) => ({ series: index, id });
  assert.deepEqual(nextPoint(series, at(0, 1), "ArrowRight"), at(0, 4));
  assert.deepEqual(nextPoint(series, at(0, 7), "ArrowRight"), at(0, 7));
  assert.deepEqual(nextPoint(series, at(0, 7), "Home"), at(0, 1));
  assert.deepEqual(nextPoint(series, at(0, 4), "ArrowUp"), at(1, 5));
  assert.deepEqual(nextPoint(series, at(1, 8), "ArrowDown"), at(0, 7)); // no key has so large a number
  assert.deepEqual(nextPoint([{ ids: [1] }], at(0, 1), "ArrowUp"), at(0, 1));
  assert.equal(nextPoint(series, at(1, 2), "Enter"), null);
});

test("a selection takes a point in or out, and holds each once", () => {
  const [one, other] = [
    { series: 0, id: 3 },
    { series: 1, id: 3 },
  ];
  assert.deepEqual(toggled([one], other), [one, other]);
  assert.deepEqual(toggled([one, other], { ...one }), [other]);
  assert.deepEqual(united([one], [{ ...one }, other]), [one, other]);
});
