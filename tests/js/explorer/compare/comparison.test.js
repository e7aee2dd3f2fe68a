import assert from "node:assert/strict";
import { test } from "node:test";

import { comparisonOf } from "../../../../static/js/explorer/compare/comparison.js";

const none = { changes: "", otherText: "", otherModel: "", otherHead: "" };
const shown = { model: "m", text: "a text", text_pair: "its pair" };

test("there is nothing to compare with until something is changed or given", () => {
  assert.equal(comparisonOf(shown, none), null);
});

test("after a change, what was before stands first", () => {
  const comparison = comparisonOf({ ...shown, changes: "off-0.1" }, { ...none, changes: "off-0.1" });
  assert.deepEqual(comparison?.request, shown);
  assert.equal(comparison?.isFirst, true);
  assert.deepEqual(comparison?.names, ["Before", "After", "After − before"]);
});

test("while the unchanged model is shown, what is after stands second", () => {
  const comparison = comparisonOf(shown, { ...none, changes: "off-0.1" });
  assert.deepEqual(comparison?.request, { ...shown, changes: "off-0.1" });
  assert.equal(comparison?.isFirst, false);
});

test("another model reads the same texts, unchanged", () => {
  const comparison = comparisonOf({ ...shown, changes: "off-0.1" }, { ...none, changes: "off-0.1", otherModel: "n" });
  assert.deepEqual(comparison?.request, { ...shown, model: "n" });
  assert.equal(comparison?.isFirst, false);
});

test("another text goes through the same model, alone", () => {
  assert.deepEqual(comparisonOf(shown, { ...none, otherText: "other" })?.request, { model: "m", text: "other" });
});

test("beside another text the decoder has written the same", () => {
  const translated = { model: "m", text: "a text", target_text: "ein Text" };
  const comparison = comparisonOf(translated, { ...none, otherText: "other" });
  assert.deepEqual(comparison?.request, { ...translated, text: "other" });
});

test("a chat message is a plain text to another model without a template", () => {
  const message = { model: "m", text: "a text", chat: true, system_text: "be brief" };
  const wanted = { ...none, otherModel: "n" };
  assert.deepEqual(comparisonOf(message, wanted)?.request, { ...message, model: "n" });
  assert.deepEqual(comparisonOf(message, wanted, true)?.request, { model: "n", text: "a text" });
  assert.deepEqual(comparisonOf(message, { ...none, otherText: "b" }, true)?.request, { ...message, text: "b" });
});

test("another head is one of the same run, with its changes", () => {
  const changed = { ...shown, changes: "off-0.1" };
  const comparison = comparisonOf(changed, { ...none, changes: "off-0.1", otherHead: "1.2" });
  assert.deepEqual(comparison?.request, changed);
  assert.deepEqual(comparison?.names, ["This head", "The other head", "The other − this"]);
});

test("another head of another model is of that model's run", () => {
  const comparison = comparisonOf(shown, { ...none, otherModel: "n", otherHead: "1.2" });
  assert.deepEqual(comparison?.request, { ...shown, model: "n" });
});
