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
  assert.match(vocabularyWarning(unknown(4)), /^40 % of the characters have no token of their own/);
  const one = tokens(Array.from({ length: 20 }, (_, at) => [at < 1 ? "[UNK]" : "word", 5 * at, 5 * at + 4]));
  assert.equal(vocabularyWarning(one), "");
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
  assert.match(vocabularyWarning(bytes), /^100 % of the characters have no token of their own: .* hardly knows/);
  const mixed = [...tokens([["ð", 0, 1], ["Ł", 0, 1]]), ...tokens(Array.from("abcdefghi", (one, at) => [one, at + 1, at + 2]))]; // prettier-ignore
  assert.match(vocabularyWarning(mixed), /^10 % of the characters .* knows only part/);
  const words = tokens(Array.from({ length: 9 }, (_, at) => ["word", 5 * at + 1, 5 * at + 5]));
  assert.equal(vocabularyWarning([...mixed.slice(0, 2), ...words]), "", "one sign of 37");
});

test("Japanese in a vocabulary of English: unknown kanji count, a blank before a character does not", () => {
  const found = [..."猫は疲れていたので、マットの上て眠った。"].map((sign) =>
    "猫疲眠".includes(sign) ? "[UNK]" : sign,
  );
  const read = tokens(found.map((sign, at) => [sign, at, at + 1]));
  assert.match(vocabularyWarning(read), /^15 % of the characters have no token of their own/);
  const known = [..."我喜欢研究语言模型"].map((sign, at) => /** @type {any} */ ([sign, at, at + 1]));
  assert.equal(vocabularyWarning(tokens([["▁", 0, 1], ...known])), "");
});

test("single letters are no words, ideographs are", () => {
  assert.match(vocabularyWarning(characters("جلستالقطة")), /^9 of 9 tokens are single characters/);
  assert.equal(vocabularyWarning(characters("我喜欢研究语言模型")), "");
});
