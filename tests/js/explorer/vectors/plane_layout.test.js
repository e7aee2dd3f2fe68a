import assert from "node:assert/strict";
import { test } from "node:test";

import {
  fitPlane,
  nearest,
  nextPoint,
  pathOf,
  placeNames,
} from "../../../../static/js/explorer/vectors/plane_layout.js";

/** @typedef {[number, number]} Point */

test("a plane is drawn to one scale, upward and inside its edges", () => {
  /** @type {Point[]} */
  const points = [
    [-2, -1],
    [3, 1],
    [0, 0.5],
  ];
  for (const width of [290, 640, 1000]) {
    const { height, place } = fitPlane(points, width);
    const [first, second] = points.map(place);
    const scale = (second.x - first.x) / 5;
    assert.ok(Math.abs((first.y - second.y) / 2 - scale) < 1e-9, "both axes alike, y up");
    for (const spot of points.map(place)) {
      assert.ok(spot.x >= 44 - 1e-9 && spot.x <= width - 44 + 1e-9);
      assert.ok(spot.y >= 30 - 1e-9 && spot.y <= height - 30 + 1e-9);
    }
  }
});

test("a tall plane is no taller than 460, and a single point stands in the middle", () => {
  /** @type {Point[]} */
  const tall = [
    [0, 0],
    [1, 50],
  ];
  const { height, place } = fitPlane(tall, 640);
  assert.equal(height, 460);
  assert.deepEqual(
    tall.map((point) => Math.round(place(point).y)),
    [430, 30],
  );
  const single = fitPlane([[7, 7]], 640);
  assert.deepEqual([single.height, single.place([7, 7])], [460, { x: 320, y: 230 }]);
});

test("points are one path, each in its place", () => {
  const spots = [
    { x: 10, y: 20 },
    { x: 30.126, y: 5 },
  ];
  assert.equal(
    pathOf(spots, "circle", 4),
    "M6.00 20.00a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M26.13 5.00a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  );
  assert.equal(pathOf(spots.slice(0, 1), "diamond", 4), "M6.00 20.00l4 -4l4 4l-4 4z");
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
  const picture = { width: 200, height: 100, size: 4 };
  const name = (/** @type {number} */ x, /** @type {number} */ y) => ({ at: { x, y }, width: 40, height: 12, size: 4 });
  assert.deepEqual(placeNames([name(100, 50)], [{ x: 100, y: 50 }], picture), [{ x: 108, y: 44 }], "to the right");
  assert.deepEqual(placeNames([name(190, 50)], [], picture), [{ x: 142, y: 44 }], "to the left at the edge");
  const beside = placeNames([name(100, 50)], [{ x: 100, y: 50 }, { x: 120, y: 50 }], picture); // prettier-ignore
  assert.deepEqual(beside, [{ x: 52, y: 44 }], "to the left of another point");
  const other = { x: 134, y: 50 };
  assert.deepEqual(placeNames([name(80, 50)], [other], picture), [{ x: 88, y: 44 }], "just beside another point");
  assert.deepEqual(placeNames([name(80, 50)], [{ ...other, reach: 9 }], picture), [{ x: 32, y: 44 }], "a larger one");
  const same = Array.from({ length: 12 }, () => name(100, 50));
  const placed = placeNames(same, [], picture).filter((spot) => spot !== null);
  assert.ok(placed.length >= 4 && placed.length < 12);
  for (const [index, one] of placed.entries()) {
    for (const other of placed.slice(index + 1)) {
      assert.ok(Math.abs(one.x - other.x) >= 40 || Math.abs(one.y - other.y) >= 12, "no two overlap");
    }
  }
  const crowd = Array.from({ length: 400 }, (_, index) => ({ x: (index % 20) * 10, y: Math.floor(index / 20) * 5 }));
  const crowded = [name(100, 50), { ...name(100, 50), needed: true }];
  assert.deepEqual(placeNames(crowded, crowd, picture), [null, { x: 108, y: 44 }]);
});

test("keys go through the tokens of a role and over to the other", () => {
  const points = /** @type {const} */ (["key", "query"]).flatMap((role) =>
    [1, 4, 7].map((token, place) => ({ role, token: role === "key" ? token : token + 1, place })),
  );
  const [first, , last, query] = points;
  assert.equal(nextPoint(points, first, "ArrowRight"), points[1]);
  assert.equal(nextPoint(points, last, "ArrowRight"), last);
  assert.equal(nextPoint(points, last, "Home"), first);
  assert.equal(nextPoint(points, points[1], "ArrowUp"), points[4]);
  assert.equal(nextPoint(points, points[5], "ArrowDown"), last); // no key has so large a number
  assert.equal(nextPoint([first], first, "ArrowUp"), first);
  assert.equal(nextPoint(points, query, "Enter"), null);
});
