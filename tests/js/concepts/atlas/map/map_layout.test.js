import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut, sizeIn, wholeMap } from "../../../../../static/js/concepts/atlas/map/map_layout.js";

const SIZE = { width: 462, height: 470 };

/** @param {Partial<import("../../../../../static/js/concepts/atlas/map/map_marks.js").HeadMap>} [more] */
function mapOf(more) {
  const point = (/** @type {number | null} */ x, /** @type {number | null} */ y) => ({
    x,
    y,
    fill: "red",
    radius: 5,
    name: "0.0",
    says: "",
  });
  return {
    of: "a b",
    points: [point(0, 0), point(10, 5), point(null, 3)],
    x: { name: "layer", isWhole: true },
    y: { name: "share", isWhole: false },
    isPlane: false,
    chosen: -1,
    selected: [],
    links: [],
    title: "",
    summary: "",
    numbers: () => ({ columns: [], rows: [] }),
    heights: () => ({ least: 300, most: 520 }),
    ...more,
  };
}

test("a map is as high as 0.85 of its width, within its heights", () => {
  const heights = { least: 300, most: 520 };
  assert.deepEqual(sizeIn(500, heights), { width: 500, height: 425 });
  assert.deepEqual(sizeIn(0, heights), { width: 260, height: 300 });
  assert.deepEqual(sizeIn(2000, heights), { width: 2000, height: 520 });
});

test("points stand between the axes, y up, and one without a value or out of view nowhere", () => {
  const map = mapOf();
  const { spots } = layOut(map, SIZE, { x: [0, 10], y: [0, 5] });
  assert.deepEqual(spots, [{ x: 46, y: 430, index: 0 }, { x: 446, y: 30, index: 1 }, null]);
  assert.deepEqual(layOut(map, SIZE, { x: [5, 10], y: [0, 5] }).spots[0], null);
});

test("an axis of whole numbers has each of them where they are few", () => {
  const map = mapOf();
  assert.deepEqual(layOut(map, SIZE, { x: [-0.6, 3.4], y: [0, 1] }).x.ticks, [0, 1, 2, 3]);
  const many = layOut(map, SIZE, { x: [0, 100], y: [0, 1] }).x.ticks;
  assert.ok(many.length < 16 && many.every(Number.isInteger));
});

test("everything in view is every point and where it was before, with equal units in a plane", () => {
  const links = [{ from: /** @type {const} */ ([20, 0]), to: /** @type {const} */ ([0, 0]) }];
  const { x, y } = wholeMap(mapOf({ links }), SIZE);
  assert.deepEqual(
    [x, y],
    [
      [-1.2, 21.2],
      [-0.3, 5.3],
    ],
  );
  const plane = wholeMap(mapOf({ isPlane: true }), SIZE);
  const units = [(plane.x[1] - plane.x[0]) / 400, (plane.y[1] - plane.y[0]) / 400];
  assert.ok(Math.abs(units[0] - units[1]) < 1e-12);
});

test("a long name of the upward axis stands below the tools, where a narrow map has no room beside them", () => {
  const y = { name: "attention to the previous token", isWhole: false };
  assert.equal(layOut(mapOf({ y }), SIZE, { x: [0, 1], y: [0, 1] }).box.top, 52);
  assert.equal(layOut(mapOf({ y }), { ...SIZE, width: 600 }, { x: [0, 1], y: [0, 1] }).box.top, 30);
});
