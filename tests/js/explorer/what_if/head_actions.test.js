import assert from "node:assert/strict";
import { test } from "node:test";

import { buttonState, changesAfter } from "../../../../static/js/explorer/what_if/head_actions.js";

/** @typedef {import("../../../../static/js/explorer/what_if/head_actions.js").HeadActionsData} HeadActionsData */

const [A, B] = [0, 1].map((head) => ({ layer: 1, head }));
/** @type {HeadActionsData} */
const DATA = {
  obstacle: "",
  written: "",
  changes: [],
  part: "",
  layer: 1,
  head: 0,
  shown: [A],
  together: [A, B],
  heads: 3,
  numbering: 0,
};
/** @param {"off" | "uniform"} kind @param {{layer: number, head: number}} place */
const change = (kind, place) => ({ kind, part: "", ...place });

test("a second press takes a change back", () => {
  const made = changesAfter(DATA, "off", [A, B]);
  assert.deepEqual(made, [change("off", A), change("off", B)]);
  assert.deepEqual(changesAfter({ ...DATA, changes: made }, "off", [A]), [change("off", B)]);
  const alone = changesAfter(DATA, "only", [A]);
  assert.deepEqual(alone, [change("off", B), change("off", { layer: 1, head: 2 })]);
  assert.deepEqual(changesAfter({ ...DATA, changes: alone }, "only", [A]), []);
});

test("a button is pressed where all of its heads are changed so", () => {
  const of = (/** @type {HeadActionsData["changes"]} */ changes) => {
    const data = { ...DATA, changes };
    return [buttonState(data, "off", [A]), buttonState(data, "off", [A, B]), buttonState(data, "only", [A])].map(
      ({ isMade }) => isMade,
    );
  };
  assert.deepEqual(of([]), [false, false, false]);
  assert.deepEqual(of([change("off", A)]), [true, false, false]);
  assert.deepEqual(of([change("off", A), change("off", B)]), [true, true, false]);
  assert.deepEqual(of([change("uniform", A)]), [false, false, false]);
  assert.deepEqual(of([change("off", B), change("off", { layer: 1, head: 2 })]), [false, false, true]);
  assert.equal(buttonState(DATA, "off", []).isMade, false);
});

test("nothing can be pressed against an obstacle, nor one left alone of several or where there is one", () => {
  const barred = { ...DATA, obstacle: "no model" };
  assert.ok(buttonState(barred, "off", [A]).isOff && buttonState(barred, "only", [A]).isOff);
  assert.deepEqual([buttonState(DATA, "only", [A]).isOff, buttonState(DATA, "off", [A, B]).isOff], [false, false]);
  assert.deepEqual([buttonState({ ...DATA, heads: 1 }, "only", [A]).isOff], [true]);
  assert.deepEqual([buttonState(DATA, "only", [A, B]).isOff], [true]);
});
