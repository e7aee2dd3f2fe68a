import assert from "node:assert/strict";
import { test } from "node:test";

import { createPastChanges } from "../../../../static/js/explorer/what_if/past_changes.js";

test("changes are undone one by one", () => {
  const past = createPastChanges();
  assert.equal(past.has("bert"), false);
  past.add("bert", "");
  past.add("bert", "off-1.2");
  assert.equal(past.has("bert"), true);
  assert.deepEqual([past.take("bert"), past.take("bert"), past.take("bert")], ["off-1.2", "", ""]);
  assert.equal(past.has("bert"), false);
});

test("what was changed in another model is not undone in this one", () => {
  const past = createPastChanges();
  past.add("bert", "off-1.2");
  past.add("gpt2", "off-3.4");
  assert.equal(past.has("llama"), false);
  assert.equal(past.take("bert"), "off-1.2");
  assert.equal(past.has("gpt2"), false);
});

test("only so many are kept", () => {
  const past = createPastChanges();
  for (let index = 0; index < 60; index++) past.add("bert", String(index));
  const all = Array.from({ length: 51 }, () => past.take("bert"));
  assert.deepEqual([all[0], all[49], all[50]], ["59", "10", ""]);
});
