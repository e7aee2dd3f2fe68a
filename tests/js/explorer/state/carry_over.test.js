import assert from "node:assert/strict";
import { test } from "node:test";

import { carriedOver, isSameShape, sameWord } from "../../../../static/js/explorer/state/carry_over.js";

/** @typedef {import("../../../../static/js/api/types.js").Token} Token */

/** @param {...[number, number, number?] | null} spans  null for a token without characters @returns {Token[]} */
const tokens = (...spans) =>
  spans.map((span, index) => {
    const [start, end, segment = 0] = span ?? [null, null];
    return /** @type {any} */ ({ index, start, end, segment, special: span === null });
  });

// "The unhappy cat": [CLS] The un ##happy cat [SEP], and The| unhappy| cat, where a blank belongs to its word.
const BERT = tokens(null, [0, 3], [4, 6], [6, 11], [12, 15], null);
const GPT = tokens([0, 3], [3, 11], [11, 15]);

test("the same word is that with most of the same characters, whatever its index", () => {
  assert.deepEqual(
    BERT.map((_, index) => sameWord(BERT, GPT, index)),
    [null, 0, 1, 1, 2, null],
  );
  assert.deepEqual(
    GPT.map((_, index) => sameWord(GPT, BERT, index)),
    [1, 3, 4],
  );
  assert.equal(sameWord(BERT, GPT, null), null);
  assert.equal(sameWord(BERT, GPT, 9), null);
});

test("a token without characters stays at its end, if there is one", () => {
  const framed = tokens(null, [0, 15], null);
  assert.deepEqual(
    [0, 5].map((index) => sameWord(BERT, framed, index)),
    [0, 2],
  );
  const ended = tokens([0, 15], null);
  assert.deepEqual(
    [0, 5].map((index) => sameWord(BERT, ended, index)),
    [null, 1],
  );
});

test("the second text is another text", () => {
  const pair = tokens(null, [0, 3], null, [0, 3, 1], null);
  const other = tokens([0, 3], [0, 3, 1]);
  assert.deepEqual(
    [1, 3].map((index) => sameWord(pair, other, index)),
    [0, 1],
  );
});

test("query and key are carried in their parts, and the window of the map begins anew", () => {
  const encoder = [{ name: "encoder", query_side: "source", key_side: "source" }];
  const both = [...encoder, { name: "cross", query_side: "target", key_side: "source" }];
  const before = /** @type {any} */ ({ tokens: BERT, parts: encoder });
  const after = /** @type {any} */ ({ tokens: GPT, target_tokens: tokens(null, [0, 4]), parts: both });
  const nowhere = { rows: "", cols: "" };
  assert.deepEqual(carriedOver(before, after, { part: "", query: 4, key: 3 }), { query: 2, key: 1, ...nowhere });
  const cross = carriedOver(after, after, { part: "cross", query: 1, key: 2 });
  assert.deepEqual(cross, { query: 1, key: 2, ...nowhere });
});

test("changes stay in a model of the same kind and size, and nowhere else", () => {
  const shaped = (/** @type {string} */ id, kind = "encoder", layers = 6, heads = 12) =>
    /** @type {any} */ ({ id, kind, layers, heads });
  const models = [
    ...[shaped("mini"), shaped("tuned"), shaped("deep", "encoder", 12), shaped("wide", "encoder", 6, 16)],
    ...[shaped("writer", "decoder"), { ...shaped("unseen"), layers: null, heads: null }],
  ];
  const kept = ["mini", "tuned", "deep", "wide", "writer", "unseen", "nowhere"].filter((id) =>
    isSameShape(models, "mini", id),
  );
  assert.deepEqual(kept, ["mini", "tuned"]);
  assert.deepEqual(
    ["unseen", "mini", "elsewhere"].map((id) => isSameShape(models, "unseen", id)),
    [true, false, false],
  );
});
