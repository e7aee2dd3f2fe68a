import assert from "node:assert/strict";
import { test } from "node:test";
import { SIZE, scatterPlaces, steppedPoint } from "../../../../static/js/explorer/widgets/scatter_scale.js";

test("the least and the most of each measure stand at the ends of its axis, up and across", () => {
  const { points, ticks, rungs } = scatterPlaces([[0, 2, 1]], [[5, 5.5, 6]]);
  const [left, bottom] = [SIZE.left, SIZE.height - SIZE.bottom];
  const right = SIZE.width - SIZE.right;
  assert.deepEqual(
    points.map(({ head, x, y }) => [head, x, y]),
    [
      [0, left, bottom],
      [1, right, (bottom + SIZE.top) / 2],
      [2, (left + right) / 2, SIZE.top],
    ],
  );
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["0.00", "1.00", "2.00"],
  );
  assert.deepEqual(
    rungs.map(({ text }) => text),
    ["5.00", "5.50", "6.00"],
  );
});

test("heads that are all alike stand in one place, with one tick", () => {
  const { points, ticks } = scatterPlaces([[3, 3]], [[1, 2]]);
  assert.equal(points[0].x, points[1].x);
  assert.equal(ticks.length, 1);
});

test("the arrow keys go through all heads in the order of either measure, and stop at its ends", () => {
  const { points } = scatterPlaces([[0, 2, 1]], [[5, 5.5, 6]]);
  const from = { layer: 0, head: 2 };
  assert.equal(steppedPoint(points, from, "ArrowRight")?.head, 1);
  assert.equal(steppedPoint(points, from, "ArrowLeft")?.head, 0);
  assert.equal(steppedPoint(points, from, "ArrowUp")?.head, 2);
  assert.equal(steppedPoint(points, from, "ArrowDown")?.head, 1);
  assert.equal(steppedPoint(points, from, "End")?.head, 1);
  assert.equal(steppedPoint(points, from, "x"), null);
});
