import assert from "node:assert/strict";
import { test } from "node:test";

import { createMapState } from "../../../../../static/js/concepts/atlas/map/map_state.js";

/** Three heads, of which the last has no place; the second is chosen. */
function stateOf() {
  const point = (/** @type {number | null} */ x, /** @type {number | null} */ y) => ({ x, y });
  const state = createMapState(
    /** @type {any} */ ({
      points: [point(0, 0), point(10, 5), point(null, 3)],
      x: { name: "layer", isWhole: true },
      y: { name: "share", isWhole: false },
      isPlane: false,
      chosen: 1,
      selected: [],
      links: [],
      heights: () => ({ least: 300, most: 520 }),
    }),
  );
  state.fit(462);
  state.layOut(state.whole());
  return state;
}

/** @param {ReturnType<typeof stateOf>} state @param {number} index */
function spotOf(state, index) {
  const spot = state.now().layout.spots[index];
  assert.ok(spot);
  return spot;
}

test("the keyboard begins at the head pointed at, else at the chosen one", () => {
  const state = stateOf();
  assert.deepEqual([state.start(), state.fixed()], [1, [10, 5]]);
  assert.equal(state.point(0), true);
  assert.equal(state.point(0), false);
  assert.deepEqual([state.start(), state.fixed()], [0, [0, 0]]);
  state.point(2); // it is not on the map
  assert.equal(state.start(), 1);
});

test("a head is meant within reach, and enclosed by a box around it", () => {
  const state = stateOf();
  const [first, second] = [spotOf(state, 0), spotOf(state, 1)];
  assert.equal(state.indexNear({ x: first.x + 3, y: first.y + 4 }, 6), 0);
  assert.equal(state.indexNear({ x: first.x + 3, y: first.y + 4 }, 4), null); // it is 5 away
  const around = [
    { x: second.x - 5, y: second.y - 5 },
    { x: second.x + 5, y: second.y + 5 },
  ];
  assert.deepEqual(state.enclosed(around, "select"), [1]);
});

test("what is zoomed out of view is not on the map, and a place as wide is no other one", () => {
  const state = stateOf();
  state.layOut({ x: [5, 15], y: [0, 10] });
  assert.deepEqual(
    state.now().layout.spots.map((spot) => spot?.index ?? null),
    [null, 1, null],
  );
  assert.deepEqual([state.isOther(462), state.isOther(500)], [false, true]);
});
