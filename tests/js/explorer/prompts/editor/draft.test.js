import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY_SET } from "../../../../../static/js/explorer/state/prompt_set.js";
import { Draft } from "../../../../../static/js/explorer/prompts/editor/draft.js";
import { createKeptDraft } from "../../../../../static/js/explorer/prompts/editor/kept_draft.js";
import { nameOf } from "../../../../../static/js/explorer/prompts/editor/kept_sets.js";

const FIRST = { ...EMPTY_SET, prompts: "One\nTwo" };
const SECOND = { ...EMPTY_SET, template: "{A} sleeps", slots: "A: Mary, John" };

/** A browser's storage that can be switched off. */
function createStorage() {
  const items = new Map();
  const storage = {
    isOn: true,
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem(/** @type {string} */ key, /** @type {string} */ value) {
      if (!storage.isOn) throw new Error("full");
      items.set(key, value);
    },
    removeItem: (/** @type {string} */ key) => items.delete(key),
  };
  return storage;
}

test("what is typed is the chosen kind of it, and no draft where it is what is shown", () => {
  const draft = new Draft(FIRST, createKeptDraft(createStorage));
  assert.deepEqual([draft.wanted(), draft.words()], [FIRST, ""]);
  draft.type({ prompts: "Three", template: "{A} sleeps" });
  assert.deepEqual(draft.wanted(), { ...FIRST, prompts: "Three" }, "a template is no part of a list");
  assert.match(draft.words(), /^Not averaged yet/);
  draft.choose("template");
  assert.equal(draft.wanted().prompts, "");
  draft.discard();
  assert.deepEqual([draft.wanted(), draft.isTemplate(), draft.words()], [FIRST, false, ""]);
});

test("a draft is there again with the set it was typed for, and only with that one", () => {
  const storage = createStorage();
  const kept = createKeptDraft(() => storage);
  const draft = new Draft(FIRST, kept);
  draft.type({ prompts: "Three" });
  draft.keep();
  const again = new Draft({ ...FIRST }, kept);
  assert.deepEqual([again.isFromBefore, again.typed().prompts], [true, "Three"]);
  assert.equal(new Draft(SECOND, kept).isFromBefore, false);
});

test("another set is followed, what was typed for it comes back, and one that is typed already stays", () => {
  const kept = createKeptDraft(() => storage);
  const storage = createStorage();
  const draft = new Draft(FIRST, kept);
  assert.equal(draft.follow(FIRST), false, "the same set");
  assert.equal(draft.follow(SECOND), true);
  assert.deepEqual([draft.wanted(), draft.isTemplate()], [SECOND, true]);
  draft.type({ slots: "A: Eve" });
  assert.equal(draft.follow({ ...SECOND, slots: "A: Eve" }), false, "what was typed is run");
  assert.equal(draft.words(), "");

  draft.type({ slots: "A: Ada" });
  draft.follow({ ...SECOND, slots: "A: Eve" });
  assert.equal(draft.typed().slots, "A: Ada", "the same set from another link: what was typed for it stays");
  draft.follow(FIRST);
  assert.deepEqual(draft.wanted(), FIRST);
});

test("where nothing can be kept, it is said", () => {
  const storage = createStorage();
  const draft = new Draft(
    FIRST,
    createKeptDraft(() => storage),
  );
  draft.type({ prompts: "Three" });
  assert.equal(draft.keep(), false, "as before");
  storage.isOn = false;
  assert.equal(draft.keep(), true, "it ceased to work");
  assert.match(draft.words(), /^This browser stores nothing/);
  assert.equal(nameOf(FIRST), nameOf({ ...FIRST }));
});
