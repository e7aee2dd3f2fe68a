import assert from "node:assert/strict";
import { test } from "node:test";
import { createScatterControl } from "../../../../static/js/charts/scatter/control.js";

/** Five points in a row, each a number; everything that happens is noted. */
function controlOf() {
  const state = { at: /** @type {number | null} */ (2), selected: /** @type {number[]} */ ([]) };
  /** @type {unknown[]} */
  const log = [];
  const control = createScatterControl({
    closer: 0.5,
    isSame: Object.is,
    selected: () => state.selected,
    whole: () => ({ x: [0, 8], y: [0, 4] }),
    fixed: () => (state.at === null ? null : [state.at, 0]),
    start: () => state.at,
    step: (from, key) => (key === "ArrowRight" ? Math.min(from + 1, 4) : null),
    draw: () => log.push("draw"),
    onMove: (point) => log.push(["move", point]),
    onPick: (point) => log.push(["pick", point]),
    onSelect: (points) => log.push(["select", points]),
  });
  const press = (/** @type {string} */ key, more = {}) => {
    let isTaken = false;
    const event = { key, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...more };
    const isDone = control.key(
      /** @type {KeyboardEvent} */ (/** @type {unknown} */ ({ ...event, preventDefault: () => (isTaken = true) })),
    );
    assert.equal(isDone, isTaken);
    return log.splice(0);
  };
  return { control, state, log, press };
}

test("keys move, choose and select where the keyboard is, and leave other keys and modifiers alone", () => {
  const { state, press } = controlOf();
  assert.deepEqual(press("ArrowRight"), [["move", 3]]);
  assert.deepEqual(press("Enter"), [["pick", 2]]);
  assert.deepEqual(press(" ", { shiftKey: true }), [["select", [2]]]);
  assert.deepEqual(press("ArrowRight", { ctrlKey: true }), []);
  assert.deepEqual(press("x"), []);
  state.at = null;
  assert.deepEqual(press("ArrowRight"), [], "no point is shown");
});

test("Escape takes the selection away first, then what is pointed at", () => {
  const { state, press } = controlOf();
  state.selected = [1];
  assert.deepEqual(press("Escape"), [["select", []]]);
  state.selected = [];
  assert.deepEqual(press("Escape"), [["move", null]]);
});

test("a tool and a key zoom alike, around the fixed place, until all is shown again", () => {
  const { control, press } = controlOf();
  assert.deepEqual(press("+"), ["draw"]);
  assert.deepEqual(control.extent(), { x: [1, 5], y: [0, 2] });
  control.zoom(2);
  assert.deepEqual(control.extent(), { x: [0, 8], y: [0, 4] });
  control.zoom(0.9);
  assert.deepEqual(control.extent(), { x: [1, 5], y: [0, 2] }, "closer by as much as every tool");
  assert.deepEqual(press("0").slice(-1), ["draw"]);
  assert.equal(control.zoomedTo(), null);
});

test("a selection takes a point in or out, grows with Shift, and holds each once", () => {
  const { control, state, log } = controlOf();
  state.selected = [1, 3];
  control.pick(3, true);
  control.pick(4, true);
  control.pick(null);
  control.select([3, 0], true);
  control.select([3, 0], false);
  assert.deepEqual(log, [
    ["select", [1]],
    ["select", [1, 3, 4]],
    ["select", [1, 3, 0]],
    ["select", [3, 0]],
  ]);
});

test("a way of selecting goes off when it is chosen again", () => {
  const { control } = controlOf();
  assert.equal(control.selectBy("lasso"), "lasso");
  assert.equal(control.selectBy("select"), "select");
  assert.equal(control.selectBy("select"), null);
  assert.equal(control.selecting(), null);
});
