import assert from "node:assert/strict";
import { test } from "node:test";

import { changesAfter, shownButton, togetherButton } from "../../../../static/js/explorer/what_if/head_actions.js";

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
    return [shownButton(data, "off"), togetherButton(data, "off"), shownButton(data, "only")].map(
      ({ isMade }) => isMade,
    );
  };
  assert.deepEqual(of([]), [false, false, false]);
  assert.deepEqual(of([change("off", A)]), [true, false, false]);
  assert.deepEqual(of([change("off", A), change("off", B)]), [true, true, false]);
  assert.deepEqual(of([change("uniform", A)]), [false, false, false]);
  assert.deepEqual(of([change("off", B), change("off", { layer: 1, head: 2 })]), [false, false, true]);
  assert.equal(togetherButton({ ...DATA, together: [] }, "off").isMade, false);
});

test("nothing can be pressed against an obstacle, nor one left alone of several or where there is one", () => {
  const barred = { ...DATA, obstacle: "no model" };
  assert.ok(shownButton(barred, "off").isOff && togetherButton(barred, "off").isOff);
  assert.deepEqual([shownButton(DATA, "only").isOff, shownButton(DATA, "off").isOff], [false, false]);
  assert.deepEqual([shownButton({ ...DATA, heads: 1 }, "only").isOff], [true]);
  assert.deepEqual([shownButton({ ...DATA, shown: [A, B] }, "only").isOff], [true]);
});
