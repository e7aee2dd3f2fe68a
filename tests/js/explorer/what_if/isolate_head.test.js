import assert from "node:assert/strict";
import test from "node:test";

import { readChanges, writeChanges } from "../../../../static/js/explorer/state/changes/changes.js";
import { isOnly, toggleOnly } from "../../../../static/js/explorer/what_if/isolate_head.js";

const PLACE = { part: "", layer: 2, head: 1 };
const toggled = (/** @type {string} */ written) => writeChanges(toggleOnly(readChanges(written), PLACE, 4));

test("every other head of the layer goes off, and comes back", () => {
  const alone = toggled("");
  assert.equal(alone, "off-2.0_off-2.2_off-2.3");
  assert.ok(isOnly(readChanges(alone), PLACE, 4));
  assert.equal(toggled(alone), "");
});

test("what else is changed stays, and a head that is to work alone is not off", () => {
  assert.equal(toggled("off-2.1_uniform-0.3"), "uniform-0.3_off-2.0_off-2.2_off-2.3");
  assert.equal(toggled("off-2.0_cut-1.1-3.4"), "cut-1.1-3.4_off-2.0_off-2.2_off-2.3");
  assert.ok(!isOnly(readChanges("off-2.0_off-2.2_off-2.3_off-2.1"), PLACE, 4));
});

test("a head without others is never alone", () => {
  assert.deepEqual(toggleOnly([], { ...PLACE, head: 0 }, 1), []);
  assert.ok(!isOnly([], { ...PLACE, head: 0 }, 1));
});
