import assert from "node:assert/strict";
import { test } from "node:test";

import { findToken } from "../../../../static/js/explorer/tokens/go_to_token.js";

const words = ["[CLS]", "The", "cat", "sat", "the", "Cat", "7"].map((text, index) => ({
  index,
  id: index,
  text,
  start: null,
  end: null,
  special: index === 0,
  segment: 0,
}));

test("a token is found by number as counted on screen", () => {
  assert.equal(findToken(words, "3", { from: 0, numbering: 0 }), 3);
  assert.equal(findToken(words, " 3 ", { from: 0, numbering: 1 }), 2);
  assert.equal(findToken(words, "0", { from: 0, numbering: 1 }), null);
});

test("a number beyond the text is looked for as text", () => {
  assert.equal(findToken(words, "7", { from: 0, numbering: 0 }), 6);
});

test("text goes to the next token that holds it, around the end, whatever the case", () => {
  assert.equal(findToken(words, "cat", { from: -1, numbering: 0 }), 2);
  assert.equal(findToken(words, "cat", { from: 2, numbering: 0 }), 5);
  assert.equal(findToken(words, "CAT", { from: 5, numbering: 0 }), 2);
  assert.equal(findToken(words, "dog", { from: 0, numbering: 0 }), null);
  assert.equal(findToken(words, "  ", { from: 0, numbering: 0 }), null);
  assert.equal(findToken([], "cat", { from: 0, numbering: 0 }), null);
});
