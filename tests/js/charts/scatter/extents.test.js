import assert from "node:assert/strict";
import test from "node:test";
import {
  centredOn,
  extentBetween,
  heightOf,
  rangeOf,
  spotOf,
  wholeOf,
  withEqualUnits,
  zoomed,
} from "../../../../static/js/charts/scatter/extents.js";

/** @typedef {[number, number]} Point */

test("a range has room around its ends and leaves out what has no value", () => {
  const [least, most] = rangeOf([0, null, 10, NaN]);
  assert.deepEqual([least, most], [-0.6, 10.6]);
});

test("a range of one value has a width, and so has one of none", () => {
  assert.deepEqual(rangeOf([3, 3]), [2.5, 3.5]);
  assert.deepEqual(rangeOf([null]), [0, 1]);
});

test("equal units widen the axis that has more pixels than it needs", () => {
  const { x, y } = withEqualUnits({ x: [0, 1], y: [0, 1] }, { width: 200, height: 100 });
  assert.deepEqual(
    [x, y],
    [
      [-0.5, 1.5],
      [0, 1],
    ],
  );
});

test("zooming keeps the fixed place at its share of both axes", () => {
  const { x, y } = zoomed({ x: [0, 10], y: [0, 10] }, 0.5, [2, 8]);
  assert.deepEqual(
    [x, y],
    [
      [1, 6],
      [4, 9],
    ],
  );
});

test("what is in view moves without a change of its size", () => {
  const moved = centredOn({ x: [0, 4], y: [2, 4] }, [10, -1]);
  assert.deepEqual(
    [moved.x, moved.y],
    [
      [8, 12],
      [-2, 0],
    ],
  );
});

test("what lies between two corners has its least first, whichever way it was drawn", () => {
  const scales = {
    x: { value: (/** @type {number} */ at) => at / 10 },
    y: { value: (/** @type {number} */ at) => -at },
  };
  const extent = extentBetween({ x: 50, y: 1 }, { x: 20, y: 8 }, scales);
  assert.deepEqual(
    [extent.x, extent.y],
    [
      [2, 5],
      [-8, -1],
    ],
  );
});

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
  const { x, y } = spotOf([7, 7], wholeOf([[7, 7]], size), size);
  assert.deepEqual([Math.round(x), Math.round(y)], [320, 230]);
});

test("a point stands at its share of both ranges, y up", () => {
  const size = { width: 600, height: 300 };
  const extent = { x: /** @type {const} */ ([-2, 4]), y: /** @type {const} */ ([-3.5, -0.5]) };
  assert.deepEqual(spotOf([4, -0.5], extent, size), { x: 600, y: 0 }, "the upper right corner");
  assert.deepEqual(spotOf([1, -2], extent, size), { x: 300, y: 150 }, "the middle");
});
