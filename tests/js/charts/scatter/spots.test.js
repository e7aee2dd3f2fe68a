import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnclosed, nearest, outlineOf, stepTo } from "../../../../static/js/charts/scatter/spots.js";

const SPOTS = [{ x: 10, y: 10 }, null, { x: 50, y: 12 }, { x: 14, y: 60 }, { x: 80, y: 80 }];

/** @param {{x: number, y: number}[]} dragged @param {string} mode */
function enclosed(dragged, mode) {
  return SPOTS.flatMap((spot, index) => (spot && isEnclosed(spot, dragged, mode) ? [index] : []));
}

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

test("a box selects from any corner", () => {
  assert.deepEqual(
    enclosed(
      [
        { x: 60, y: 20 },
        { x: 0, y: 0 },
      ],
      "select",
    ),
    [0, 2],
  );
});

test("a lasso selects what lies inside it, not in its bounding box", () => {
  const triangle = [
    { x: 0, y: 0 },
    { x: 60, y: 0 },
    { x: 0, y: 90 },
  ];
  assert.deepEqual(enclosed(triangle, "lasso"), [0, 2, 3]);
  assert.deepEqual(isEnclosed({ x: 55, y: 80 }, triangle, "lasso"), false);
});

test("an arrow key leads to the nearest spot in its direction", () => {
  assert.equal(stepTo(SPOTS, 0, "ArrowRight"), 2);
  assert.equal(stepTo(SPOTS, 0, "ArrowDown"), 3);
  assert.equal(stepTo(SPOTS, 4, "ArrowUp"), 2);
  assert.equal(stepTo(SPOTS, 0, "ArrowLeft"), 0);
  assert.equal(stepTo(SPOTS, 0, "a"), null);
});

test("a box is outlined by its corners, a lasso by its line", () => {
  const dragged = [
    { x: 1, y: 2 },
    { x: 9, y: 9 },
    { x: 3, y: 4 },
  ];
  assert.equal(outlineOf(dragged, "select"), "M1 2L3 2L3 4L1 4Z");
  assert.equal(outlineOf(dragged, "lasso"), "M1 2L9 9L3 4Z");
});
