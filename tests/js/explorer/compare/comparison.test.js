import assert from "node:assert/strict";
import { test } from "node:test";

import { rivalOf } from "../../../../static/js/explorer/compare/comparison.js";

const none = { changes: "", otherText: "", otherModel: "" };
const shown = { model: "m", text: "a text", text_pair: "its pair" };

test("there is nothing to compare with until something is changed or given", () => {
  assert.equal(rivalOf(shown, none), null);
});

test("after a change, what was before stands first", () => {
  const rival = rivalOf({ ...shown, changes: "off-0.1" }, { ...none, changes: "off-0.1" });
  assert.deepEqual(rival?.request, shown);
  assert.equal(rival?.isFirst, true);
  assert.deepEqual(rival?.names, ["Before", "After", "After − before"]);
});

test("while the unchanged model is shown, what is after stands second", () => {
  const rival = rivalOf(shown, { ...none, changes: "off-0.1" });
  assert.deepEqual(rival?.request, { ...shown, changes: "off-0.1" });
  assert.equal(rival?.isFirst, false);
});

test("another model reads the same texts, unchanged", () => {
  const rival = rivalOf({ ...shown, changes: "off-0.1" }, { ...none, changes: "off-0.1", otherModel: "n" });
  assert.deepEqual(rival?.request, { ...shown, model: "n" });
  assert.equal(rival?.isFirst, false);
});

test("another text goes through the same model, alone", () => {
  assert.deepEqual(rivalOf(shown, { ...none, otherText: "other" })?.request, { model: "m", text: "other" });
});
