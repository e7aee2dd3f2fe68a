import assert from "node:assert/strict";
import { test } from "node:test";

import { createStopping } from "../../../static/js/requests/stopping.js";

/** @returns {{happened: string[], stopping: ReturnType<typeof createStopping>}} */
function watched() {
  const happened = /** @type {string[]} */ ([]);
  const stopping = createStopping(
    () => happened.push("changed"),
    () => happened.push("given up"),
  );
  return { happened, stopping };
}

test("nothing is stopped before somebody stops it", () => {
  const { happened, stopping } = watched();
  assert.equal(stopping.choices.isStopped(), false);
  assert.equal(stopping.holds({ text: "a" }), false);
  assert.equal(stopping.holds(null), false);
  assert.deepEqual(happened, []);
});

test("what is wanted is given up before its change is told, and holds by what it says until it goes on", () => {
  const { happened, stopping } = watched();
  stopping.holds({ text: "a" });
  stopping.choices.stop();
  assert.deepEqual(happened, ["given up", "changed"]);
  assert.equal(stopping.choices.isStopped(), true);
  assert.equal(stopping.holds({ text: "a" }), true, "another object that says the same");
  stopping.choices.goOn();
  assert.deepEqual(happened, ["given up", "changed", "changed"]);
  assert.equal(stopping.holds({ text: "a" }), false);
});

test("another question runs, and the one before is no longer stopped when it is wanted again", () => {
  const { happened, stopping } = watched();
  stopping.holds("a");
  stopping.choices.stop();
  assert.equal(stopping.holds("b"), false);
  assert.equal(stopping.choices.isStopped(), false);
  assert.equal(stopping.holds("a"), false);
  assert.deepEqual(happened, ["given up", "changed"], "nothing is told while a view is drawn");
});
