import assert from "node:assert/strict";
import { test } from "node:test";

import {
  arrange,
  condense,
  condenseRow,
  meanMatrix,
  shownRange,
  tokenRange,
} from "../../../../static/js/explorer/state/arrangement.js";

/** @typedef {import("../../../../static/js/api/types.js").Token} Token */

/** "[CLS] un ##afraid ##able cat [SEP]" */
const TOKENS = ["[CLS]", "un", "##afraid", "##able", "cat", "[SEP]"].map((token, index) => {
  const special = token.startsWith("[");
  return /** @type {Token} */ ({
    index,
    id: index,
    text: token.replace("##", ""),
    token,
    special,
    start: 9 * index,
    end: 9 * index + 8,
    segment: 0,
    word: special ? null : Number(token === "cat"),
  });
});
/** Each row adds up to 1; values are multiples of 1/64, exact in float32. */
const ROWS = [
  [32, 8, 8, 8, 4, 4],
  [16, 16, 8, 8, 8, 8],
  [8, 24, 8, 8, 8, 8],
  [0, 0, 48, 0, 16, 0],
  [4, 20, 20, 4, 8, 8],
  [64, 0, 0, 0, 0, 0],
].map((row) => row.map((value) => value / 64));
/** @type {import("../../../../static/js/base/decode.js").Matrix} */
const MATRIX = {
  values: Float32Array.from(ROWS.flat()),
  height: 6,
  width: 6,
  rows: [0, 6],
  cols: [0, 6],
  cellRows: 1,
  cellCols: 1,
};
const PLAIN = arrange(TOKENS, false, false);
const WORDS = arrange(TOKENS, false, true);
const BOTH = arrange(TOKENS, true, true);

test("nothing chosen changes nothing", () => {
  assert.ok(PLAIN.isPlain);
  assert.equal(PLAIN.tokens, TOKENS);
  assert.equal(condense(MATRIX, PLAIN, PLAIN, false), MATRIX);
});

test("sub-words become words, special tokens go", () => {
  assert.deepEqual(
    WORDS.tokens.map(({ text, index }) => [text, index]),
    [
      ["[CLS]", 0],
      ["unafraidable", 1],
      ["cat", 4],
      ["[SEP]", 5],
    ],
  );
  assert.deepEqual(BOTH.spans, [
    [1, 4],
    [4, 5],
  ]);
  assert.deepEqual([...BOTH.places], [-1, 0, 0, 0, 1, -1]);
});

test("a word is called as it stands in the text", () => {
  /** @param {string[]} texts  pieces of "café" or of 매, in bytes or in letters */
  const pieces = (...texts) =>
    texts.map((text, index) => {
      const word_text = index === 0 ? "café" : null;
      const place = { start: 3, end: 4 };
      return /** @type {Token} */ ({
        index,
        id: index,
        text,
        special: false,
        ...place,
        segment: 0,
        word: 0,
        word_text,
      });
    });
  assert.deepEqual(arrange(pieces("caf", "é", "é"), false, true).tokens[0].label, "café");
  assert.equal(arrange(pieces("ᄆ", "ᅢ"), false, true, [0, 1]).tokens[0].text, "ᄆ", "of one token alone its own text");
  const [, ...rest] = pieces("caf", "é", "é");
  assert.equal(arrange([TOKENS[0], ...rest], false, true).tokens[1].text, "é", "a character in two bytes is one");
});

test("weights to a word are summed, from a word averaged, and rows still add up to 1", () => {
  const merged = condense(MATRIX, WORDS, WORDS, false);
  // By hand: columns 1…3 added, rows 1…3 averaged.
  const expected = [
    [32, 24, 4, 4],
    [24 / 3, 120 / 3, 32 / 3, 16 / 3],
    [4, 44, 8, 8],
    [64, 0, 0, 0],
  ].map((row) => row.map((value) => value / 64));
  assert.deepEqual([merged.height, merged.width], [4, 4]);
  merged.values.forEach((value, cell) => assert.ok(Math.abs(value - expected.flat()[cell]) < 1e-6, String(cell)));
  for (let row = 0; row < 4; row++) {
    const sum = merged.values.subarray(4 * row, 4 * row + 4).reduce((total, value) => total + value, 0);
    assert.ok(Math.abs(sum - 1) < 1e-6);
  }
});

test("hidden columns are left out; what is left adds up to 1 only if asked", () => {
  const left = condense(MATRIX, BOTH, BOTH, false);
  assert.deepEqual(
    [...left.values].map((value) => Math.round(value * 64 * 3)),
    [120, 32, 132, 24],
  );
  const again = condense(MATRIX, BOTH, BOTH, true);
  assert.ok(Math.abs(again.values[0] - 120 / 152) < 1e-6);
  assert.ok(Math.abs(again.values[2] + again.values[3] - 1) < 1e-6);
});

test("a row that read nothing else stays 0", () => {
  assert.deepEqual([...condenseRow([Float32Array.from(ROWS[5])], BOTH, true)], [0, 0]);
});

test("ranges of tokens and of places lead to each other", () => {
  assert.deepEqual(shownRange(WORDS, [2, 5]), [1, 3]);
  assert.deepEqual(shownRange(WORDS, [0, 6]), [0, 4]);
  assert.deepEqual(tokenRange(WORDS, [1, 3], 6), [1, 5]);
  assert.deepEqual(tokenRange(BOTH, [0, 2], 6), [0, 6]);
  assert.deepEqual(shownRange(BOTH, [5, 6]), [0, 2]);
});

test("the mean of heads is taken cell by cell", () => {
  const other = { ...MATRIX, values: MATRIX.values.map((value) => value / 2) };
  const mean = meanMatrix([MATRIX, other]);
  mean.values.forEach((value, cell) => assert.ok(Math.abs(value - MATRIX.values[cell] * 0.75) < 1e-6));
  assert.equal(meanMatrix([MATRIX]), MATRIX);
});
