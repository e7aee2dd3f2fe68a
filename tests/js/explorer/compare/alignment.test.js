import assert from "node:assert/strict";
import { test } from "node:test";

import {
  alignByCharacters,
  alignBySequence,
  alignByWords,
  pooled,
  unitTokens,
} from "../../../../static/js/explorer/compare/alignment.js";
import { tokenLabel } from "../../../../static/js/wording/labels.js";

/** @typedef {import("../../../../static/js/api/types.js").Token} Token */

/**
 * Tokens of a text as they follow each other; those in brackets have a role and stand for no characters.
 * @param {string} text
 * @param {string[]} pieces
 * @param {number} [segment]
 * @returns {Token[]}
 */
function tokensOf(text, pieces, segment = 0) {
  const signs = [...text];
  let at = 0;
  return pieces.map((piece, index) => {
    const special = /^[[<]/u.test(piece);
    const token = { index, id: hash(piece), text: piece, token: piece, start: null, end: null, special, segment };
    if (special) return token;
    const size = [...piece].length;
    while (
      signs
        .slice(at, at + size)
        .join("")
        .toLowerCase() !== piece.toLowerCase()
    )
      at++;
    at += size;
    return { ...token, start: at - size, end: at };
  });
}

/** @param {string} text */
const hash = (text) => [...text].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 99991, 7);

const TEXT = "The weather, 😀unbelievable!";
const WORDPIECE = tokensOf(TEXT, ["[CLS]", "the", "weather", ",", "😀", "un", "believ", "able", "!", "[SEP]"]);
const BYTES = tokensOf(TEXT, ["The", " wea", "ther", ",", " ", "😀", "unbel", "ievable", "!"]);

test("the same tokens belong together one by one", () => {
  const found = alignByCharacters(WORDPIECE, structuredClone(WORDPIECE), [TEXT]);
  assert.ok(found?.isIdentity && found.isOneToOne);
  assert.deepEqual(
    found.units,
    WORDPIECE.map((_, index) => ({ first: [index], second: [index] })),
  );
});

test("tokens of two models are joined where they stand for the same characters", () => {
  const found = alignByCharacters(WORDPIECE, BYTES, [TEXT]);
  assert.deepEqual(found?.units, [
    { first: [1], second: [0] },
    { first: [2], second: [1, 2] },
    { first: [3], second: [3] },
    { first: [4], second: [4, 5] }, // the blank goes with what follows it
    { first: [5, 6, 7], second: [6, 7] },
    { first: [8], second: [8] },
  ]);
  assert.deepEqual(found.alone, { first: [0, 9], second: [] });
  assert.ok(!found.isIdentity && !found.isOneToOne);
  assert.deepEqual(unitTokens(found, WORDPIECE, BYTES, "first").map(tokenLabel), [
    "the",
    "weather",
    ",",
    "😀",
    "unbelievable",
    "!",
  ]);
});

test("every token of both is in one unit or alone, and every character of a unit is in both", () => {
  const random = seeded(5);
  const letters = [..."ab ,😀é\n"];
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 24) }, () => letters[Math.floor(random() * 7)]).join(
      "",
    );
    const cut = () => {
      const signs = [...text];
      const pieces = [];
      while (signs.length > 0) pieces.push(signs.splice(0, 1 + Math.floor(random() * 3)).join(""));
      return random() < 0.5 ? ["[CLS]", ...pieces] : [...pieces, "[SEP]", "[SEP]"];
    };
    const [first, second] = [tokensOf(text, cut()), tokensOf(text, cut())];
    const found = alignByCharacters(first, second, [text]);
    assert.ok(found);
    for (const side of /** @type {const} */ (["first", "second"])) {
      const tokens = { first, second }[side];
      /** @type {number[]} */
      const all = [...found.units.flatMap((unit) => unit[side]), ...found.alone[side]];
      assert.deepEqual(
        [...all].sort((one, other) => one - other),
        tokens.map((_, index) => index),
      );
      /** @type {number[]} */
      const inUnits = found.units.flatMap((unit) => unit[side]);
      assert.deepEqual(
        inUnits,
        [...inUnits].sort((one, other) => one - other),
        "in the order of the text",
      );
    }
    const covered = (/** @type {Token[]} */ tokens, /** @type {number[]} */ which) =>
      which
        .map((at) => tokens[at].text)
        .join("")
        .replace(/\s/gu, "");
    for (const unit of found.units) {
      const said = [covered(first, unit.first), covered(second, unit.second)];
      if (!first[unit.first[0]].special) assert.equal(said[0], said[1]);
    }
    const stood = found.units.map((unit) => covered(first, unit.first)).join("");
    assert.equal(stood.replace(/\[[A-Z]+\]/gu, ""), text.replace(/\s/gu, ""));
  }
});

test("joined rows add up to what they did, summed over keys and averaged over queries", () => {
  const found = alignByCharacters(WORDPIECE.slice(1, 9), BYTES, [TEXT]);
  assert.ok(found && found.alone.first.length === 0);
  const random = seeded(3);
  const size = 8;
  const values = Float32Array.from({ length: size * size }, random);
  for (let row = 0; row < size; row++) {
    const sum = values.subarray(row * size, (row + 1) * size).reduce((total, one) => total + one, 0);
    for (let col = 0; col < size; col++) values[row * size + col] /= sum;
  }
  const units = found.units.map(({ first }) => first);
  const matrix = { values, height: size, width: size, rows: [0, size], cols: [0, size], cellRows: 1, cellCols: 1 };
  const joined = pooled(/** @type {any} */ (matrix), units, units);
  for (let row = 0; row < units.length; row++) {
    const sum = joined.values.subarray(row * joined.width, (row + 1) * joined.width).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - 1) < 1e-6);
  }
  const [of, to] = [units[4], units[1]];
  const mean =
    of.reduce((sum, row) => sum + to.reduce((part, col) => part + values[row * size + col], 0), 0) / of.length;
  assert.ok(Math.abs(joined.values[4 * joined.width + 1] - mean) < 1e-7);
});

test("roles meet by their place: before the text, between two texts, behind them", () => {
  const texts = ["a b", "c"];
  const bert = [...tokensOf("a b", ["[CLS]", "a", "b", "[SEP]"]), ...tokensOf("c", ["c", "[SEP]"], 1)].map(
    (token, index) => ({ ...token, index }),
  );
  const roberta = [...tokensOf("a b", ["<s>", "a", " b", "</s>", "</s>"]), ...tokensOf("c", ["c", "</s>"], 1)].map(
    (token, index) => ({ ...token, index }),
  );
  assert.deepEqual(alignByCharacters(bert, roberta, texts)?.units, [
    { first: [0], second: [0] },
    { first: [1], second: [1] },
    { first: [2], second: [2] },
    { first: [3], second: [3, 4] },
    { first: [4], second: [5] },
    { first: [5], second: [6] },
  ]);
});

test("where it is not known what tokens stand for, there is no alignment", () => {
  const blind = BYTES.map((token) => ({ ...token, start: null, end: null }));
  assert.equal(alignByCharacters(WORDPIECE, blind, [TEXT]), null);
  assert.equal(alignByCharacters(WORDPIECE, BYTES, ["short"]), null);
});

test("two texts are paired by what both have, and what was replaced by what stands there", () => {
  const one = tokensOf("the cat sat on the mat", ["[CLS]", "the", "cat", "sat", "on", "the", "mat", "[SEP]"]);
  const dog = tokensOf("the dog sat on the mat", ["[CLS]", "the", "dog", "sat", "on", "the", "mat", "[SEP]"]);
  const same = alignBySequence(one, dog);
  assert.ok(same.isIdentity);
  assert.deepEqual(unitTokens(same, one, dog, "second").map(tokenLabel)[2], "cat | dog");
  const more = tokensOf("the big old cat sat", ["[CLS]", "the", "big", "old", "cat", "sat", "[SEP]"]);
  const less = tokensOf("the cat slept well", ["[CLS]", "the", "cat", "slept", "well", "[SEP]"]);
  const found = alignBySequence(more, less);
  assert.deepEqual(found.units, [
    { first: [0], second: [0] },
    { first: [1], second: [1] },
    { first: [4], second: [2] },
    { first: [5], second: [3, 4] },
    { first: [6], second: [5] },
  ]);
  assert.deepEqual(found.alone, { first: [2, 3], second: [] });
});

test("two models with two texts are paired word by word, and inside a word of both by characters", () => {
  const [text, other] = ["The unbelievable cat sat.", "The quick unbelievable dog sat down"];
  const one = tokensOf(text, ["[CLS]", "the", "un", "believ", "able", "cat", "sat", ".", "[SEP]"]);
  const two = tokensOf(other, ["The", " quick", " unbel", "iev", "able", " do", "g", " s", "at", " down"]);
  const found = alignByWords(one, two, [text], [other]);
  assert.deepEqual(found?.units, [
    { first: [1], second: [0] },
    { first: [2, 3], second: [2, 3] }, // un|believ over unbel|iev
    { first: [4], second: [4] },
    { first: [5], second: [5, 6] }, // cat: do|g
    { first: [6], second: [7, 8] },
    { first: [7], second: [9] }, // the full stop: down
  ]);
  assert.deepEqual(found.alone, { first: [0, 8], second: [1] });
  assert.deepEqual(unitTokens(found, one, two, "first").map(tokenLabel), [
    "the",
    "unbeliev",
    "able",
    "cat | ·dog",
    "sat",
    ". | ·down",
  ]);
  const written = tokensOf("猫が寝る。", ["[CLS]", "猫", "が", "寝る", "。", "[SEP]"]);
  const read = tokensOf("犬が寝る。", ["<s>", "犬が", "寝", "る", "。", "</s>"]);
  assert.deepEqual(alignByWords(written, read, ["猫が寝る。"], ["犬が寝る。"])?.units, [
    { first: [0], second: [0] },
    { first: [1, 2], second: [1] },
    { first: [3], second: [2, 3] },
    { first: [4], second: [4] },
    { first: [5], second: [5] },
  ]);
});

test("two equal texts are paired word by word as they are by characters", () => {
  const random = seeded(9);
  const letters = [..."ab ,😀é\n漢"];
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 24) }, () => letters[Math.floor(random() * 8)]).join(
      "",
    );
    const cut = () => {
      const signs = [...text];
      const pieces = [];
      while (signs.length > 0) pieces.push(signs.splice(0, 1 + Math.floor(random() * 4)).join(""));
      return random() < 0.5 ? ["[CLS]", ...pieces] : [...pieces, "[SEP]", "[SEP]"];
    };
    const [first, second] = [tokensOf(text, cut()), tokensOf(text, cut())];
    if (text.trim() === "") continue;
    assert.deepEqual(alignByWords(first, second, [text], [text]), alignByCharacters(first, second, [text]), text);
  }
});

test("an inserted token shifts none behind it", () => {
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
  const [first, second] = [words, ["new", ...words.slice(0, -1)]].map((all) => tokensOf(all.join(" "), all));
  const { units, alone, isIdentity } = alignBySequence(first, second);
  assert.equal(isIdentity, false);
  assert.deepEqual([alone.first, alone.second], [[299], [0]]);
  for (const unit of units) assert.equal(unit.second[0], unit.first[0] + 1);
});

/** @param {number} state */
function seeded(state) {
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}
