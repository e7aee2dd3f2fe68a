import assert from "node:assert/strict";
import { test } from "node:test";

import { createPlotState } from "../../../../static/js/charts/plots/plot_state.js";

/** @param {object} [x]  of the axis */
function stateOf(x) {
  const series = [
    { name: "a", kind: "line", x: [1, 10, 100], y: [0, 1, 2], said: ["0", "1", "2"] },
    { name: "b", kind: "line", x: [10, 1000], y: [5, 6], said: ["5", "6"] },
  ];
  return createPlotState(/** @type {any} */ ({ series, x: { name: "at", least: 1, most: 1000, ...x } }));
}

/** One hundred pixels for three powers of ten, or for 0 to 1000. */
const log = { range: /** @type {const} */ ([0, 3]), _offset: 0, _length: 100 };
const linear = { range: /** @type {const} */ ([0, 1000]), _offset: 0, _length: 100 };

test("a place says the values of the series that are on", () => {
  const state = stateOf();
  assert.deepEqual(state.read(), { current: null, says: "" });
  state.goTo(10);
  assert.deepEqual(state.read(), { current: 10, says: "at 10: a 1, b 5" });
  state.toggle("a");
  assert.equal(state.read().says, "at 10: b 5");
  state.toggle("a");
  assert.equal(state.read().says, "at 10: a 1, b 5");
});

test("keys and the pointer find the places of the series that are on", () => {
  const state = stateOf({ log: true });
  const right = /** @type {KeyboardEvent} */ ({ key: "ArrowRight" });
  assert.equal(state.step(right), 1);
  assert.equal(state.under(log, 66), 100); // 10 ** 1.98 = 95
  state.toggle("a");
  assert.equal(state.step(right), 10);
  assert.equal(state.under(log, 66), 10); // 95 is nearer to 10 than to 1000
  state.toggle("b");
  assert.equal(state.under(log, 66), null);
});

test("zooming keeps what is read, in the axis's own units", () => {
  assert.deepEqual(stateOf().zoomed(linear, 0.5), [250, 750]);
  const [state, powers] = [stateOf(), stateOf({ log: true })];
  state.goTo(100);
  assert.deepEqual(state.zoomed(linear, 0.5), [50, 550]);
  powers.goTo(100);
  assert.deepEqual(powers.zoomed(log, 0.5), [1, 2.5]);
});
