import assert from "node:assert/strict";
import { test } from "node:test";

import { createMovableWindow } from "../../../../static/js/charts/heat_map/movable_window.js";

const WHOLE = { rows: [0, 100], cols: [0, 200] };
const SIZE = { queries: 100, keys: 200 };

/** @param {Record<string, unknown>} [options] */
function open({ rows = [10, 20], cols = [40, 80], ...options } = {}) {
  /** @type {string[]} */
  const told = [];
  const place = /** @type {any} */ ({ rows, cols, size: SIZE });
  const onMove = () => told.push(`move ${view.settled().rows} ${view.settled().cols}`);
  const onRest = () => told.push("rest");
  const view = createMovableWindow(place, { onMove, onRest, ...options });
  return { view, told, place };
}

test("panning moves in fractions and tells whole tokens", () => {
  const { view, told } = open();
  view.panBy(-0.1, 0.16);
  assert.deepEqual(view.now(), { rows: [8.4, 18.4], cols: [44, 84] });
  assert.deepEqual(told, ["move 8,18 44,84"]);
  assert.equal(view.isStill(), false);
});

test("it rests on whole tokens until the state says the same", () => {
  const { view, told, place } = open();
  view.panBy(0, 0.16);
  view.rest();
  assert.deepEqual(view.now(), { rows: [8, 18], cols: [40, 80] });
  assert.equal(view.isStill(), false);
  view.follow({ ...place, rows: [9, 19] }, false); // an earlier step of the movement
  assert.deepEqual(view.now().rows, [8, 18]);
  view.follow({ ...place, rows: [8, 18] }, false);
  assert.equal(view.isStill(), true);
  assert.equal(told.at(-1), "rest");
});

test("a movement that leads back is over at once; rest without one does nothing", () => {
  const { view, told } = open();
  view.rest();
  assert.deepEqual(told, []);
  view.panBy(0.001, 0.001);
  view.rest();
  assert.equal(view.isStill(), true);
  assert.deepEqual(view.settled(), { rows: [10, 20], cols: [40, 80] });
});

test("another matrix ends any movement", () => {
  const { view, place } = open();
  view.panBy(0, 0.5);
  view.follow(place, false);
  assert.equal(view.isStill(), false);
  view.follow(place, true);
  assert.equal(view.isStill(), true);
});

test("zooming keeps what is under the pointer, and a key ends it on whole tokens", () => {
  const { view } = open({ ...WHOLE });
  view.zoomAt(0.5, 0.25, 0.5);
  assert.deepEqual(view.now(), { rows: [25, 75], cols: [25, 125] });
  assert.deepEqual(view.cellAt(0.5, 0), { query: 25, key: 75 });
  view.zoomAt(0.9, 0.5, 0.5);
  view.zoomOn(0.5, { query: null, key: 60 });
  assert.deepEqual(view.now(), { rows: [39, 62], cols: [38, 83] });
  assert.equal(view.isStill(), false);
});

test("a rectangle is shown with every token that it touches, and all is shown again", () => {
  const { view } = open({ ...WHOLE });
  assert.equal(view.isWhole(), true);
  view.showBox({ x: [0.101, 0.149], y: [0.5, 0.6] });
  assert.deepEqual(view.now(), { rows: [50, 60], cols: [20, 30] });
  assert.equal(view.isWhole(), false);
  view.showAll();
  assert.deepEqual(view.settled(), WHOLE);
});

test("a cell out of view is brought in", () => {
  const { view } = open();
  view.showCell({ query: 5, key: 80 });
  assert.deepEqual(view.now(), { rows: [5, 15], cols: [41, 81] });
});

test("fixed rows stay, whatever moves", () => {
  const { view } = open({ rows: [3, 4], hasFixedRows: true });
  view.panBy(0.5, 0.5);
  view.zoomAt(0.5, 0.5, 0.5);
  view.showBox({ x: [0, 0.5], y: [0, 0.1] });
  assert.deepEqual(view.now().rows, [3, 4]);
  assert.deepEqual(view.bounds().rows, [3, 4]);
  view.showAll();
  assert.deepEqual(view.now(), { rows: [3, 4], cols: [0, 200] });
  assert.equal(view.isWhole(), true);
});
