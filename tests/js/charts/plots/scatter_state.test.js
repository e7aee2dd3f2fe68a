import assert from "node:assert/strict";
import { test } from "node:test";
import { createScatterState } from "../../../../static/js/charts/plots/scatter_state.js";

/** @typedef {import("../../../../static/js/charts/plots/scatter_data.js").Scatter} Scatter */
/** @typedef {import("../../../../static/js/charts/scatter/extents.js").Extent} Extent */

const SERIES = [
  { name: "key", ids: [0, 2], points: [[0, 0], [4, 2]] },
  { name: "query", ids: [1], points: [[2, 1]] },
]; // prettier-ignore

function stateOf() {
  const view = { zoomedTo: /** @type {Extent | null} */ (null) };
  const data = { series: SERIES, chosen: [], links: [], selected: [] };
  const state = createScatterState(/** @type {Scatter} */ (/** @type {unknown} */ (data)), () => view.zoomedTo);
  state.fit(488);
  return { state, view };
}

test("the keyboard begins on top, stays where it went, and leaves a series that goes off", () => {
  const { state } = stateOf();
  assert.deepEqual(state.start(), { series: 1, id: 1 });
  state.goTo({ series: 0, id: 2 });
  assert.deepEqual(state.start(), { series: 0, id: 2 });
  assert.deepEqual(state.step({ series: 0, id: 2 }, "ArrowLeft"), { series: 0, id: 0 });
  state.toggle("key");
  assert.deepEqual(state.start(), { series: 1, id: 1 });
  assert.deepEqual(
    state.spots().map(({ at }) => at),
    [{ series: 1, id: 1 }],
  );
});

test("a point that goes away takes the keyboard with it", () => {
  const { state } = stateOf();
  state.goTo({ series: 0, id: 2 });
  state.update({ ...state.shown(), series: [{ ...state.shown().series[0], ids: [0] }, state.shown().series[1]] });
  assert.deepEqual(state.start(), { series: 1, id: 1 });
});

test("zooming keeps the keyboard's place, if it is in view", () => {
  const { state, view } = stateOf();
  assert.equal(state.fixed(), null);
  state.goTo({ series: 0, id: 2 });
  assert.deepEqual(state.fixed(), [4, 2]);
  view.zoomedTo = { x: [0, 1], y: [0, 1] };
  assert.equal(state.fixed(), null);
});

test("a point out of view is brought into its middle, no closer and no farther", () => {
  const { state, view } = stateOf();
  assert.equal(state.following({ series: 0, id: 2 }), null, "everything is in view");
  view.zoomedTo = { x: [0, 1], y: [0, 1] };
  assert.deepEqual(state.following({ series: 0, id: 2 }), { x: [3.5, 4.5], y: [1.5, 2.5] });
  assert.equal(state.following({ series: 0, id: 0 }), null);
});

test("units are equal on both axes in a place of any size", () => {
  const { state, view } = stateOf();
  view.zoomedTo = { x: [0, 1], y: [0, 1] };
  for (const width of [300, 488, 900]) {
    state.fit(width);
    const { x, y } = state.extent();
    assert.ok(Math.abs((x[1] - x[0]) / width - (y[1] - y[0]) / state.size().height) < 1e-12);
  }
});
