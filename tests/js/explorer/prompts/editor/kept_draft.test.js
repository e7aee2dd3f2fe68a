import assert from "node:assert/strict";
import { test } from "node:test";

import { createKeptDraft } from "../../../../../static/js/explorer/prompts/editor/kept_draft.js";
import { nameOf } from "../../../../../static/js/explorer/prompts/editor/kept_sets.js";
import { EMPTY_SET } from "../../../../../static/js/explorer/state/prompt_set.js";

function createStorage() {
  const items = new Map();
  return {
    getItem: (/** @type {string} */ name) => items.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ text) => void items.set(name, text),
    removeItem: (/** @type {string} */ name) => void items.delete(name),
  };
}

test("what was typed comes back to the set that was shown then, and to no other", () => {
  const storage = createStorage();
  const typed = { ...EMPTY_SET, template: "{A} sat.", prompts: "a line" };
  const kept = createKeptDraft(() => storage);
  assert.equal(kept.keep({ of: nameOf(EMPTY_SET), typed, isTemplate: true }), true);
  const again = createKeptDraft(() => storage);
  assert.deepEqual(again.find(EMPTY_SET), { typed, isTemplate: true });
  assert.equal(again.find({ ...EMPTY_SET, prompts: "a link's" }), null);
  again.keep(null);
  assert.equal(again.find(EMPTY_SET), null);
});

test("where nothing is stored, nothing is found, and it is said", () => {
  const none = createKeptDraft(() => {
    throw new DOMException("denied", "SecurityError");
  });
  assert.deepEqual([none.find(EMPTY_SET), none.keep(null)], [null, false]);
});
