import assert from "node:assert/strict";
import { test } from "node:test";

import { createKeptSets, nameOf } from "../../../../../static/js/explorer/prompts/editor/kept_sets.js";
import { EMPTY_SET } from "../../../../../static/js/explorer/state/prompt_set.js";

/** Storage with room for so many characters, as a browser has. @param {number} room */
function storageOf(room) {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
    setItem(/** @type {string} */ name, /** @type {string} */ text) {
      const others = [...kept].filter(([one]) => one !== name).reduce((sum, [, one]) => sum + one.length, 0);
      if (others + text.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(name, text);
    },
    removeItem: (/** @type {string} */ name) => void kept.delete(name),
  };
}
const setOf = (/** @type {string} */ prompts) => ({ ...EMPTY_SET, prompts });

test("a set is found again by its name, also after a reload", () => {
  const storage = storageOf(100_000);
  const [one, other] = [setOf("a\nb"), { ...setOf("a\nb"), promptChat: true }];
  const sets = createKeptSets(() => storage);
  const names = [sets.keep(one), sets.keep(other)];
  assert.notEqual(names[0], names[1]);
  assert.equal(sets.keep({ ...one }), names[0]); // the same set, the same name
  const again = createKeptSets(() => storage);
  assert.deepEqual(again.find(names[0] ?? ""), one);
  assert.deepEqual(again.find(names[1] ?? ""), other);
  assert.equal(again.find("none"), null);
  for (let index = 0; index < 8; index++) again.keep(setOf(String(index)));
  assert.equal(createKeptSets(() => storage).find(names[0] ?? ""), null); // the oldest give way
  assert.deepEqual(again.find(names[0] ?? ""), one); // but not those of this visit
});

test("older sets give way to one for which there is no room, and one that never fits is known for this visit", () => {
  const storage = storageOf(1000);
  const sets = createKeptSets(() => storage);
  const [small, middle, large] = ["s".repeat(300), "m".repeat(500), "l".repeat(2000)].map(setOf);
  assert.equal(sets.keep(small), nameOf(small));
  assert.equal(sets.keep(middle), nameOf(middle));
  const again = createKeptSets(() => storage);
  assert.deepEqual([again.find(nameOf(small)), again.find(nameOf(middle))], [null, middle]);
  assert.equal(sets.keep(large), null);
  assert.deepEqual(sets.find(nameOf(large)), large);
  assert.deepEqual(createKeptSets(() => storage).find(nameOf(middle)), middle); // nothing is lost for it
});

test("where nothing is stored, or something else, nothing is found", () => {
  const none = createKeptSets(() => {
    throw new DOMException("denied", "SecurityError");
  });
  assert.deepEqual([none.keep(setOf("a")), none.find("a")], [null, null]);
  const storage = storageOf(10_000);
  for (const text of ["{", "[1, null, {}]", '{"prompts": 1}']) {
    storage.setItem("observatory-prompt-sets", text);
    assert.equal(createKeptSets(() => storage).find("a"), null);
    assert.notEqual(createKeptSets(() => storage).keep(setOf("a")), null);
  }
});
