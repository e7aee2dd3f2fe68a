import assert from "node:assert/strict";
import { test } from "node:test";

import { readChanges, writeChanges } from "../../../../static/js/explorer/state/changes/changes.js";
import { allNames, groupName, groupsOf } from "../../../../static/js/explorer/what_if/change_groups.js";

const grouped = (/** @type {string} */ text) => groupsOf(readChanges(text)).map(writeChanges);
const named = (/** @type {string} */ text) => groupName(readChanges(text), 0);

test("many heads that are changed alike, one after the other, have one line", () => {
  assert.deepEqual(grouped("off-0.2_off-3.1"), ["off-0.2", "off-3.1"]);
  assert.deepEqual(grouped("off-0.2_off-3.1_off-1.1_uniform-2.0"), ["off-0.2_off-3.1_off-1.1", "uniform-2.0"]);
  assert.deepEqual(grouped("off-0.2_off-3.1_uniform-2.0_off-1.1").length, 4);
});

test("what is of a layer, of another part, or has values of its own stands alone", () => {
  assert.equal(grouped("off-0.2_off-1.all_off-2.1").length, 3);
  assert.equal(grouped("off-0.2_off-decoder.1.1_off-2.1").length, 3);
  assert.equal(grouped("temperature-0.2-2_temperature-0.1-2_temperature-1.1-2").length, 3);
});

test("the first heads are named, and how many more there are", () => {
  assert.equal(named("off-0.2_off-3.1_off-1.0"), "L0 H2, L3 H1, L1 H0");
  assert.equal(named("off-0.2_off-3.1_off-1.0_off-2.2"), "L0 H2, L3 H1 and 2 more");
  assert.equal(allNames(readChanges("off-0.2_off-3.1_off-1.0_off-2.2"), 1), "L1 H3, L4 H2, L2 H1, L3 H3");
});
