import assert from "node:assert/strict";
import test from "node:test";
import {
  inBox,
  inLasso,
  rangeOf,
  stepTo,
  withEqualUnits,
  zoomed,
} from "../../../../../static/js/concepts/atlas/map/map_geometry.js";

const SPOTS = [{ x: 10, y: 10 }, null, { x: 50, y: 12 }, { x: 14, y: 60 }, { x: 80, y: 80 }];

test("a range has room around its ends and leaves out what has no value", () => {
  const [least, most] = rangeOf([0, null, 10, NaN]);
  assert.deepEqual([least, most], [-0.6, 10.6]);
});

test("a range of one value has a width, and so has one of none", () => {
  assert.deepEqual(rangeOf([3, 3]), [2.5, 3.5]);
  assert.deepEqual(rangeOf([null]), [0, 1]);
});

test("equal units widen the axis that has more pixels than it needs", () => {
  const box = { left: 0, right: 200, top: 0, bottom: 100 };
  const { x, y } = withEqualUnits({ x: [0, 1], y: [0, 1] }, box);
  assert.deepEqual(
    [x, y],
    [
      [-0.5, 1.5],
      [0, 1],
    ],
  );
});

test("zooming keeps the fixed place at its share of both axes", () => {
  const { x, y } = zoomed({ x: [0, 10], y: [0, 10] }, 0.5, { x: 2, y: 8 });
  assert.deepEqual(
    [x, y],
    [
      [1, 6],
      [4, 9],
    ],
  );
});

test("a box selects from any corner, and skips what is not in the map", () => {
  assert.deepEqual(inBox(SPOTS, { x: 60, y: 20 }, { x: 0, y: 0 }), [0, 2]);
});

test("a lasso selects what lies inside it, not in its bounding box", () => {
  const triangle = [
    { x: 0, y: 0 },
    { x: 60, y: 0 },
    { x: 0, y: 90 },
  ];
  assert.deepEqual(inLasso(SPOTS, triangle), [0, 2, 3]);
  assert.deepEqual(inLasso([{ x: 55, y: 80 }], triangle), []);
});

test("an arrow key leads to the nearest spot in its direction", () => {
  assert.equal(stepTo(SPOTS, 0, "ArrowRight"), 2);
  assert.equal(stepTo(SPOTS, 0, "ArrowDown"), 3);
  assert.equal(stepTo(SPOTS, 4, "ArrowUp"), 2);
  assert.equal(stepTo(SPOTS, 0, "ArrowLeft"), 0);
  assert.equal(stepTo(SPOTS, 0, "a"), null);
});
