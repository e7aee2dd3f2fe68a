import assert from "node:assert/strict";
import { test } from "node:test";

import { openSet } from "../../../../../static/js/explorer/prompts/editor/file_buttons.js";
import { placeOf } from "../../../../../static/js/explorer/prompts/editor/form.js";

test("a prompt's place is found among lines that may be blank", () => {
  const text = "  \nOne\n\n Two ";
  assert.deepEqual(placeOf(text, 0), [3, 6]);
  assert.deepEqual(placeOf(text, 1), [8, 13]);
  assert.equal(text.slice(...(placeOf(text, 1) ?? [])), " Two ");
  assert.equal(placeOf(text, 2), null);
});

test("a file is a set, or said to be none", async () => {
  const file = (/** @type {string} */ name, /** @type {string} */ content, size = content.length) => ({
    name,
    size,
    text: async () => content,
  });
  const set = await openSet(file("a.txt", "One\nTwo\n"), 5);
  assert.equal(typeof set === "object" && set.prompts, "One\nTwo");
  assert.equal(await openSet(file("a.json", "{"), 5), "a.json: The file is not valid JSON.");
  assert.match(String(await openSet(file("a.txt", "One", 2_000_001), 5)), /^The file has .+; at most .+ are read\.$/);
});
