import assert from "node:assert/strict";
import { test } from "node:test";

import { vocabularyWarning } from "../../../../static/js/explorer/state/vocabulary_fit.js";

/** @typedef {import("../../../../static/js/api/types.js").Token} Token */

/** @param {[string, number, number][]} spelled @returns {Token[]} */
const tokens = (spelled) =>
  spelled.map(
    ([token, start, end], index) => /** @type {any} */ ({ index, token, text: token, start, end, segment: 0 }),
  );

/** @param {string} text  each character as a token */
const characters = (text) => tokens([...text].map((letter, at) => [letter, at, at + 1]));

test("a text in words needs no warning, nor do a few letters", () => {
  assert.equal(vocabularyWarning(tokens(Array.from({ length: 9 }, (_, at) => ["word", 5 * at, 5 * at + 4]))), "");
  assert.equal(vocabularyWarning(characters("قطة")), "");
});

test("tokens that are unknown are counted from a half on", () => {
  const unknown = (/** @type {number} */ count) =>
    tokens(Array.from({ length: 10 }, (_, at) => [at < count ? "[UNK]" : "word", 5 * at, 5 * at + 4]));
  assert.match(vocabularyWarning(unknown(5)), /^5 of 10 tokens are unknown/);
  assert.equal(vocabularyWarning(unknown(4)), "");
});

test("a single token is enough if it is unknown, however that is spelled", () => {
  for (const spelled of ["[UNK]", "<unk>", "<UNK>", "<|unk|>", "<unknown>", "[unk_token]", "<<unk>>", "▁⁇", "⁇"]) {
    assert.match(vocabularyWarning(tokens([[spelled, 0, 9]])), /^1 of 1 tokens/, spelled);
  }
  for (const word of ["unknown", "junk", "(drunk)", "chunks", "▁unkind", "?"]) {
    assert.equal(vocabularyWarning(tokens([[word, 0, 9]])), "", word);
  }
  assert.equal(vocabularyWarning([]), "");
});

test("bytes of a character share its place", () => {
  const bytes = tokens([0, 1, 2].flatMap((at) => ["ç", "Į", "«"].map((one) => /** @type {any} */ ([one, at, at + 1]))));
  assert.match(vocabularyWarning(bytes), /^9 of 9 tokens are single bytes/);
});

test("single letters are no words, ideographs are", () => {
  assert.match(vocabularyWarning(characters("جلستالقطة")), /^9 of 9 tokens are single characters/);
  assert.equal(vocabularyWarning(characters("我喜欢研究语言模型")), "");
});
