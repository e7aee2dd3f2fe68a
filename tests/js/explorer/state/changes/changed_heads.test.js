import assert from "node:assert/strict";
import { test } from "node:test";

import { changedHeads, markOf, marksNote } from "../../../../../static/js/explorer/state/changes/changed_heads.js";

/** @type {any} */
const parts = [
  { name: "encoder", layers: 2, heads: 3 },
  { name: "cross", layers: 2, heads: 2 },
];

/** @param {object[]} interventions @param {number} [index] */
const marks = (interventions, index = 0) => changedHeads(/** @type {any} */ ({ interventions, parts }), parts[index]);

test("a head is marked by what was done to it in the run that is shown", () => {
  const found = marks([
    { kind: "head_off", layer: 1, heads: [0, 2], mode: "zero" },
    { kind: "pattern", layer: 1, heads: [0], pattern: "uniform" },
    { kind: "cut_edges", layer: 0, heads: [1], edges: [[0, 1]] },
  ]);
  assert.deepEqual([...found].sort(), [
    ["0.1", "changed"],
    ["1.0", "off"],
    ["1.2", "off"],
  ]);
  assert.equal(markOf(found, { layer: 0, head: 0 }), null);
  assert.equal(marks([]).size, 0);
});

test("all layers and all heads are each of them, of the part that was meant", () => {
  assert.equal(marks([{ kind: "head_off", layer: "all", heads: "all", mode: "mean" }]).size, 6);
  assert.equal(marks([{ kind: "head_off", layer: "all", heads: "all", mode: "mean" }], 1).size, 0);
  const cross = [{ kind: "temperature", part: "cross", layer: 0, heads: "all", temperature: 2 }];
  assert.deepEqual([...marks(cross, 1).keys()], ["0.0", "0.1"]);
  assert.equal(marks(cross).size, 0);
});

test("of several heads it is said how many are marked", () => {
  const found = marks([{ kind: "head_off", layer: 1, heads: [0], mode: "zero" }]);
  assert.equal(marksNote(found, [{ layer: 1, head: 0 }]), "✕ switched off");
  assert.equal(marksNote(found, [{ layer: 0, head: 0 }]), "");
  const both = [
    { layer: 1, head: 0 },
    { layer: 0, head: 0 },
  ];
  assert.equal(marksNote(found, both), "✕ 1: switched off");
});
