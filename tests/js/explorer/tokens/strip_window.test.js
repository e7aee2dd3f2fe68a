import assert from "node:assert/strict";
import { test } from "node:test";

import { findToken, firstStretch, nextStretch, stretchTo } from "../../../../static/js/explorer/tokens/strip_window.js";

const words = ["[CLS]", "The", "cat", "sat", "the", "Cat", "7"].map((text, index) => ({
  index,
  id: index,
  text,
  start: null,
  end: null,
  special: index === 0,
  segment: 0,
}));

test("a short text stands whole, a long one in stretches of 512", () => {
  assert.deepEqual(firstStretch(13), [0, 13]);
  assert.deepEqual(firstStretch(16384), [0, 512]);
});

test("the stretch moves by halves and stops at the ends", () => {
  assert.deepEqual(nextStretch([0, 512], 1, 16384), [256, 768]);
  assert.deepEqual(nextStretch([256, 768], -1, 16384), [0, 512]);
  assert.deepEqual(nextStretch([100, 612], -1, 16384), [0, 512]);
  assert.deepEqual(nextStretch([15800, 16312], 1, 16384), [15872, 16384]);
});

test("a stretch stays while the token is in it, else lies around the token", () => {
  const stretch = /** @type {[number, number]} */ ([256, 768]);
  assert.equal(stretchTo(stretch, 256, 16384), stretch);
  assert.deepEqual(stretchTo(stretch, 768, 16384), [512, 1024]);
  assert.deepEqual(stretchTo(stretch, 16383, 16384), [15872, 16384]);
  assert.deepEqual(stretchTo(stretch, 3, 16384), [0, 512]);
});

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
