import assert from "node:assert/strict";
import { test } from "node:test";
import { headToOpen, unchangedNote } from "../../../../static/js/explorer/compare/unchanged_head.js";

/** Layer 0, head 1 is switched off: its own weights stay, those of layer 1 change. */
const LARGEST = [
  [0, 0],
  [0.02, 0.31],
];

test("before and after a head is switched off, the head that changes most is opened", () => {
  assert.deepEqual(headToOpen(LARGEST, { layer: 0, head: 1 }), { layer: 1, head: 1 });
  assert.equal(headToOpen(LARGEST, { layer: 1, head: 0 }), null, "this one changes itself");
  assert.equal(headToOpen([[0, 0]], { layer: 0, head: 1 }), null, "nothing comes after the last layer");
});

test("one map twice is explained", () => {
  const off = "No weight of this head changes. Switching it off takes its output away, not its weights;";
  assert.ok(unchangedNote(LARGEST, { layer: 0, head: 1 }, true).startsWith(off));
  assert.equal(unchangedNote(LARGEST, { layer: 0, head: 0 }, false), "No weight of this head changes.");
  assert.equal(unchangedNote(LARGEST, { layer: 1, head: 0 }, false), "");
});
