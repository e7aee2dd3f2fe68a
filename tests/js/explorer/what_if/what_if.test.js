import assert from "node:assert/strict";
import { test } from "node:test";

import { createChanging } from "../../../../static/js/explorer/what_if/what_if.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

/** @param {string} shown  the model whose charts are shown */
function begin(shown) {
  let draft = { ...DEFAULTS, model: "gpt2", changes: "" };
  let asks = 0;
  const changing = createChanging({
    draftStore: { get: () => draft, put: (patch) => void (draft = { ...draft, ...patch }) },
    onAsk: () => (asks += 1),
    analysis: () => /** @type {import("../../../../static/js/api/types.js").Analysis} */ ({ model: { id: shown } }),
  });
  return { ...changing, draft: () => draft, asks: () => asks };
}
/** @param {number} head */
const off = (head) => ({ kind: /** @type {const} */ ("off"), part: "", layer: 1, head });

test("changes that are all made are taken back in one step, and each step is undone", () => {
  const { toggle, onUndo, canUndo, draft, asks } = begin("gpt2");
  toggle([]);
  assert.deepEqual([asks(), canUndo()], [0, false]);
  toggle([off(2)]);
  const one = draft().changes;
  assert.notEqual(one, "");
  toggle([off(2), off(3)]);
  assert.notEqual(draft().changes, one);
  toggle([off(3), off(2)]);
  assert.equal(draft().changes, "");
  assert.deepEqual([asks(), canUndo()], [3, true]);
  onUndo();
  onUndo();
  assert.deepEqual([draft().changes, canUndo()], [one, true]);
  onUndo();
  assert.deepEqual([draft().changes, canUndo(), asks()], ["", false, 6]);
});

test("a change shows the model after it, and belongs to the charts that are shown", () => {
  const { change, onSide, draft } = begin("gpt2");
  onSide(true);
  assert.equal(draft().baseline, true);
  change([off(2)]);
  assert.equal(draft().baseline, false);
  const other = begin("bert");
  other.change([off(2)]);
  assert.deepEqual([other.draft().changes, other.canUndo(), other.asks()], ["", false, 0]);
});
