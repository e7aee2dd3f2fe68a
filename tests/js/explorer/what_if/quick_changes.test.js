import assert from "node:assert/strict";
import { test } from "node:test";

import { readChanges, toggled, writeChanges } from "../../../../static/js/explorer/state/changes/changes.js";
import { chosenTogether, quickChanges } from "../../../../static/js/explorer/what_if/quick_changes.js";

const PART = { layers: 4, heads: 4 };
const state = (/** @type {object} */ patch) =>
  /** @type {import("../../../../static/js/explorer/state/view_state.js").ViewState} */ (
    /** @type {unknown} */ ({
      view: "matrix",
      stage: "weights",
      mean: false,
      part: "",
      layer: 0,
      head: 2,
      query: null,
      key: null,
      heads: "3.1_1.0_2.2",
      ...patch,
    })
  );
const written = (/** @type {Parameters<typeof quickChanges>} */ ...asked) => writeChanges(quickChanges(...asked));

test("all chosen heads go off in one change of the list, and come back in one", () => {
  const all = quickChanges("chosen", state({}), PART);
  const off = toggled(readChanges("cut-0.2-1.1"), all);
  assert.equal(writeChanges(off), "cut-0.2-1.1_off-0.2_off-3.1_off-1.0_off-2.2");
  assert.equal(writeChanges(toggled(off, all)), "cut-0.2-1.1");
  const some = toggled(readChanges("off-3.1"), all);
  assert.equal(some.length, 4, "where some are off, the others follow");
});

test("of one head there is nothing to do together, and the mean of several is one thing already", () => {
  assert.deepEqual(chosenTogether(state({ heads: "" }), PART), []);
  assert.deepEqual(chosenTogether(state({ heads: "0.2" }), PART), [], "itself");
  assert.equal(written("chosen", state({ mean: true }), PART), "");
  assert.equal(written("off", state({ mean: true }), PART), "off-0.2_off-3.1_off-1.0_off-2.2");
  assert.equal(written("off", state({}), PART), "off-0.2");
  assert.equal(written("chosen", state({}), null), "");
});

test("an edge is cut in the head that is shown", () => {
  assert.equal(written("cut", state({}), PART), "");
  assert.equal(written("cut", state({ query: 3, key: 1, part: "decoder" }), PART), "cut-decoder.0.2-3.1");
});
