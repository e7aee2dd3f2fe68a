import assert from "node:assert/strict";
import { test } from "node:test";

import { LAST_STEP } from "../../../../static/js/base/fields.js";
import { shotOf } from "../../../../static/js/concepts/frame/film.js";
import { Shown } from "../../../../static/js/concepts/frame/latest_answer.js";
import { createWalk } from "../../../../static/js/concepts/frame/walk.js";

/** A calculation of so many steps. @param {number} steps */
function walkOf(steps) {
  let state = { step: LAST_STEP, heads: 2 };
  const walk = createWalk({
    get: () => state,
    set: (patch) => void (state = { ...state, ...patch }),
  });
  walk.take(steps);
  const press = (/** @type {string} */ key, own = {}) => {
    let isTaken = false;
    walk.onKey(/** @type {any} */ ({ key, target: null, preventDefault: () => (isTaken = true), ...own }));
    return isTaken;
  };
  return { walk, press, state: () => state };
}

test.before(() => Object.assign(globalThis, { Element: class {} }));
test.after(() => void delete (/** @type {any} */ (globalThis).Element));

test("the whole picture stands there until the first key, which shows the first step", () => {
  const { walk, press, state } = walkOf(3);
  assert.deepEqual(walk.standing(), { steps: 3, step: 0 });
  assert.equal(press("ArrowLeft"), false);
  assert.equal(press("ArrowRight"), true);
  assert.deepEqual([walk.standing().step, state().step], [1, 1]);
});

test("the last step stays the last, however long the calculation becomes, and keys beyond it are the deck's", () => {
  const { walk, press, state } = walkOf(2);
  walk.goTo(2);
  assert.equal(state().step, LAST_STEP);
  assert.equal(press("ArrowRight"), false);
  walk.take(5);
  assert.deepEqual(walk.standing(), { steps: 5, step: 5 });
  walk.goTo(6);
  assert.equal(walk.shown(state()), 5);
});

test("another figure begins the walk, and so does an address with a step", () => {
  const { walk, state } = walkOf(3);
  walk.jump({ heads: 4 }, 2);
  assert.deepEqual([walk.standing().step, state().heads], [2, 4]);
  const other = walkOf(3);
  other.walk.begin({ step: LAST_STEP, heads: 2 });
  assert.equal(other.walk.standing().step, 0);
  other.walk.begin({ step: 1, heads: 2 });
  assert.equal(other.walk.standing().step, 3);
});

test("keys with a modifier, and those that something else has used, are left alone", () => {
  const { press, state } = walkOf(3);
  for (const own of [
    { shiftKey: true },
    { altKey: true },
    { ctrlKey: true },
    { metaKey: true },
    { defaultPrevented: true },
  ])
    assert.equal(press("ArrowRight", own), false);
  assert.equal(state().step, LAST_STEP);
});

test("a state is the shot whose patch it has; the last step is the last of any number", () => {
  const shots = [1, 2, LAST_STEP].map((step) => ({ patch: { step }, says: "" }));
  assert.equal(shotOf(shots, { step: 2 }, 3), 1);
  assert.equal(shotOf(shots, { step: 3 }, 3), 2);
  assert.equal(shotOf(shots, { step: LAST_STEP }, 3), 2);
  const own = [{ patch: /** @type {{step: number, query?: number[]}} */ ({ query: [1, 2], step: 1 }), says: "" }];
  assert.equal(shotOf(own, { step: 1, query: [1, 2] }, 3), 0);
  assert.equal(shotOf(own, { step: 1, query: [1, 3] }, 3), -1);
});

test("an older question's answer is shown with its own state, and newer ones are still on their way", () => {
  const shown = /** @type {Shown<{x: number}>} */ (new Shown());
  const question = (/** @type {number} */ x) => ({ key: `${x % 10}`, calls: [], state: { x } });
  assert.equal(shown.want(question(1)), true);
  shown.wait();
  assert.equal(shown.want(question(2)), true);
  shown.take(question(1), ["one"]);
  assert.deepEqual([shown.told.state, shown.told.isPending], [{ x: 1 }, true]);
  assert.equal(shown.missing()?.key, "2");
  assert.equal(shown.want(question(11)), true); // asks the same as the first
  assert.deepEqual([shown.told.state, shown.told.isPending, shown.missing()], [{ x: 11 }, false, null]);
});
