import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MOST_NOTES,
  noteCell,
  notesOf,
  readNotes,
  writeNotes,
} from "../../../../static/js/explorer/state/figure_notes.js";

const cell = { part: "", layer: 5, head: 11, query: 8, key: 2 };

test("a note is written into the address, changed and removed", () => {
  const written = noteCell("", cell, "it is\n the cat ~ really");
  assert.equal(written, ".5.11.8.2~it is the cat ~ really");
  assert.deepEqual(readNotes(written), [{ ...cell, text: "it is the cat ~ really" }]);
  const both = noteCell(written, { ...cell, part: "cross" }, "other part");
  assert.equal(readNotes(both).length, 2);
  const changed = noteCell(both, cell, "shorter");
  assert.deepEqual(
    readNotes(changed).map(({ text }) => text),
    ["shorter", "other part"],
  );
  assert.deepEqual(readNotes(noteCell(changed, cell, "  ")), [{ ...cell, part: "cross", text: "other part" }]);
  assert.equal(writeNotes(readNotes(changed)), changed);
});

test("only the notes of a head whose tokens are there are shown", () => {
  const written = noteCell(noteCell("", cell, "a"), { ...cell, query: 20 }, "b");
  const size = { query_tokens: 13, key_tokens: 13 };
  assert.deepEqual(
    notesOf(written, "", 5, 11, size).map(({ text }) => text),
    ["a"],
  );
  assert.deepEqual(notesOf(written, "", 5, 10, size), []);
  assert.deepEqual(notesOf(written, "cross", 5, 11, size), []);
});

test("nonsense in an address is no note, and there are only so many", () => {
  assert.deepEqual(readNotes("a\n1.2~x\n.5.11.8.2~ \n.5.-1.8.2~x"), []);
  const many = Array.from({ length: 30 }, (_, query) => ({ ...cell, query, text: "x" }));
  assert.equal(readNotes(writeNotes(many)).length, MOST_NOTES);
});
