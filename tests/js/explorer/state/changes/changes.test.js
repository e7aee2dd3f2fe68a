import assert from "node:assert/strict";
import { test } from "node:test";

import {
  hasChange,
  interventions,
  readChanges,
  withChange,
  withoutChange,
  writeChanges,
} from "../../../../../static/js/explorer/state/changes/changes.js";

/** @typedef {import("../../../../../static/js/explorer/state/changes/changes.js").Change} Change */

const here = { part: "", layer: 5, head: 11 };

/** @type {[string, Change][]} */
const WRITTEN = [
  ["off-5.11", { kind: "off", ...here }],
  ["mean-cross.0.2", { kind: "mean", part: "cross", layer: 0, head: 2 }],
  ["uniform-5.all", { kind: "uniform", part: "", layer: 5, head: null }],
  ["previous-all.all", { kind: "previous", part: "", layer: null, head: null }],
  ["causal-all.3", { kind: "causal", part: "", layer: null, head: 3 }],
  ["cut-5.11-8.2", { kind: "cut", ...here, query: 8, key: 2 }],
  ["cut-5.11-all.0", { kind: "cut", ...here, query: null, key: 0 }],
  ["row-5.11-8-2*0.75-4*0.25", { kind: "row", ...here, query: 8, shares: [[2, 0.75], [4, 0.25]] }], // prettier-ignore
  ["row-5.11-8", { kind: "row", ...here, query: 8, shares: [] }],
  ["temperature-5.11-0.5", { kind: "temperature", ...here, temperature: 0.5 }],
];

for (const [text, change] of WRITTEN) {
  test(`${text} is written and read`, () => {
    assert.equal(writeChanges([change]), text);
    assert.deepEqual(readChanges(text), [change]);
    assert.equal(new URLSearchParams({ changes: text }).toString(), `changes=${text}`);
  });
}

test("many are written in order", () => {
  const kinds = ["off-5.11", "cut-5.11-8.2", "temperature-0.1-2"];
  assert.equal(writeChanges(readChanges(kinds.join("_"))), kinds.join("_"));
});

for (const wrong of [
  "",
  "off",
  "off-5",
  "off-5.11.2.3",
  "off-nowhere.5.11",
  "off-5.-1",
  "off-5.11-2",
  "explode-5.11",
  "temperature-5.11",
  "temperature-5.11-0",
  "temperature-5.11--1",
  "temperature-5.11-NaN",
  "cut-5.11",
  "cut-5.11-8",
  "cut-5.11-all.all",
  "row-5.11",
  "row-5.11-all",
  "row-5.11-8-2",
  "row-5.11-8-2*-1",
  "row-5.11-8-x*1",
]) {
  test(`"${wrong}" is no change`, () => assert.deepEqual(readChanges(wrong), []));
}

test("what a link says twice counts once, and no list is endless", () => {
  assert.equal(readChanges("off-5.11_off-5.11").length, 1);
  const many = Array.from({ length: 500 }, (_, head) => `off-0.${head}`).join("_");
  assert.equal(readChanges(many).length, 64);
});

test("a later change of the same thing replaces the earlier", () => {
  /** @param {...string} texts */
  const after = (...texts) => writeChanges(texts.flatMap(readChanges).reduce(withChange, /** @type {Change[]} */ ([])));
  assert.equal(after("off-5.11", "mean-5.11"), "mean-5.11");
  assert.equal(after("off-5.11", "mean-5.all"), "mean-5.all");
  assert.equal(after("off-5.11", "off-5.10"), "off-5.11_off-5.10");
  assert.equal(after("uniform-5.11", "previous-5.11"), "previous-5.11");
  assert.equal(after("uniform-5.11", "causal-5.11"), "uniform-5.11_causal-5.11");
  assert.equal(after("temperature-5.11-2", "temperature-all.all-3"), "temperature-all.all-3");
  assert.equal(after("row-5.11-8-2*1", "row-5.11-8"), "row-5.11-8");
  assert.equal(after("row-5.11-8-2*1", "row-5.11-7"), "row-5.11-8-2*1_row-5.11-7");
  assert.equal(after("cut-5.11-8.2", "cut-5.11-8.3"), "cut-5.11-8.2_cut-5.11-8.3");
  assert.equal(after("off-0.1", "off-cross.0.1"), "off-0.1_off-cross.0.1");
});

test("changes are found and taken away by what they say", () => {
  const list = readChanges("off-5.11_cut-5.11-8.2");
  assert.equal(hasChange(list, { kind: "cut", ...here, query: 8, key: 2 }), true);
  assert.equal(hasChange(list, { kind: "cut", ...here, query: 8, key: 3 }), false);
  assert.equal(writeChanges(withoutChange(list, { kind: "off", ...here })), "cut-5.11-8.2");
});

test("the API's form", () => {
  const shapeOf = () => ({ keys: 4, causal: false });
  const asked = interventions(
    readChanges(
      "off-1.2_mean-1.3_uniform-0.all_previous-1.1_cut-1.2-3.all_row-1.2-3-1*2_temperature-cross.0.1-0.5_row-1.2-0",
    ),
    shapeOf,
  );
  assert.deepEqual(asked, [
    { kind: "head_off", layer: 1, heads: [2], mode: "zero" },
    { kind: "head_off", layer: 1, heads: [3], mode: "mean" },
    { kind: "pattern", layer: 0, heads: "all", pattern: "uniform" },
    { kind: "pattern", layer: 1, heads: [1], pattern: "previous_token" },
    { kind: "cut_edges", layer: 1, heads: [2], edges: [[3, null]] },
    { kind: "replace_row", layer: 1, heads: [2], query: 3, weights: [0, 2, 0, 0] },
    { kind: "temperature", part: "cross", layer: 0, heads: [1], temperature: 0.5 },
    { kind: "replace_row", layer: 1, heads: [2], query: 0, weights: [1, 1, 1, 1] },
  ]);
});

test("a row that reads all equally reads nothing later in a causal model", () => {
  const [row] = interventions(readChanges("row-1.2-1"), () => ({ keys: 4, causal: true }));
  assert.deepEqual(row.weights, [1, 1, 0, 0]);
});
