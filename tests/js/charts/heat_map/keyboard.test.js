import assert from "node:assert/strict";
import { test } from "node:test";

import { moveOf, pressKey } from "../../../../static/js/charts/heat_map/keyboard.js";
import { createMovableWindow } from "../../../../static/js/charts/heat_map/movable_window.js";

/** @typedef {import("../../../../static/js/base/decode.js").Range} Range */

const BOUNDS = { rows: /** @type {Range} */ ([0, 3]), cols: /** @type {Range} */ ([0, 5]) };

test("keys stay inside the matrix, and inside the rows shown", () => {
  assert.deepEqual(moveOf("ArrowDown", { query: 2, key: 1 }, BOUNDS), { query: 2, key: 1 });
  assert.deepEqual(moveOf("ArrowRight", { query: 2, key: 1 }, BOUNDS), { query: 2, key: 2 });
  assert.deepEqual(moveOf("End", { query: 1, key: 1 }, BOUNDS), { query: 1, key: 4 });
  assert.deepEqual(moveOf("PageUp", { query: 2, key: 1 }, BOUNDS), { query: 0, key: 1 });
  assert.deepEqual(moveOf("PageUp", { query: 2, key: 1 }, { ...BOUNDS, rows: [2, 3] }), { query: 2, key: 1 });
  assert.equal(moveOf("toString", { query: 0, key: 0 }, BOUNDS), null);
});

/**
 * @param {string} key
 * @param {Record<string, boolean>} [modifiers]
 */
function press(key, modifiers = {}) {
  const place = { rows: /** @type {Range} */ ([20, 40]), cols: /** @type {Range} */ ([50, 90]) };
  const view = createMovableWindow(
    { ...place, size: { queries: 100, keys: 200 } },
    { onMove: () => {}, onRest: () => {} },
  );
  /** @type {unknown[]} */
  const steps = [];
  const event = { key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...modifiers };
  const isMeant = pressKey(event, view, { query: 39, key: null }, (at) => steps.push(at));
  const { rows, cols } = view.now();
  return { isMeant, steps, rows, cols };
}

test("an arrow leads to the next cell and brings it into view", () => {
  const { isMeant, steps, rows, cols } = press("ArrowDown");
  assert.equal(isMeant, true);
  assert.deepEqual(steps, [{ query: 40, key: 50 }]);
  assert.deepEqual([rows, cols], [[21, 41], [50, 90]]); // prettier-ignore
});

test("with Shift an arrow moves the window by a quarter", () => {
  const { steps, rows, cols } = press("ArrowRight", { shiftKey: true });
  assert.deepEqual([steps, rows, cols], [[], [20, 40], [60, 100]]);
});

test("plus, minus and Escape zoom", () => {
  assert.deepEqual(press("+").rows, [35, 45]);
  assert.deepEqual(press("-").cols, [30, 110]);
  assert.deepEqual(press("Escape").cols, [0, 200]);
});

test("keys of the browser and other letters are left alone", () => {
  assert.equal(press("ArrowDown", { ctrlKey: true }).isMeant, false);
  assert.equal(press("x").isMeant, false);
});
