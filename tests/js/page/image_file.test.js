import assert from "node:assert/strict";
import { test } from "node:test";

import { arranged } from "../../../static/js/page/image_file.js";

const wide = { width: 400, height: 200 };
const square = { width: 300, height: 300 };

test("five wide charts stand in rows, in their order, and none on another", () => {
  const { places, width, height } = arranged([wide, wide, wide, wide, wide]);
  assert.deepEqual(
    places.map(({ x, y }) => [x, y]),
    [
      [16, 16],
      [592, 16],
      [16, 312],
      [592, 312],
      [16, 608],
    ],
  );
  assert.deepEqual([width, height], [16 + 2 * 576, 16 + 3 * 296]);
});

test("one picture has an edge around it and nothing else", () => {
  assert.deepEqual(arranged([wide]), { places: [{ x: 16, y: 16, width: 560, height: 280 }], width: 592, height: 312 });
});

test("pictures of a row stand on one middle and keep their proportions", () => {
  const { places } = arranged([square, wide]);
  const middles = places.map(({ y, height }) => y + height / 2);
  assert.equal(middles[0], middles[1]);
  assert.deepEqual(
    places.map(({ width, height }) => width / height),
    [1, 2],
  );
});
