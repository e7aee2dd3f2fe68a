import assert from "node:assert/strict";
import { test } from "node:test";

import { caveats, cellSentence, rowAndColumn } from "../../../static/js/wording/cell_sentence.js";

/** @typedef {import("../../../static/js/wording/cell_sentence.js").Cell} Cell */

/** @type {(text: string, index: number, more?: object) => import("../../../static/js/api/types.js").Token} */
const token = (text, index, more = {}) => ({
  index,
  id: index,
  text,
  start: null,
  end: null,
  segment: 0,
  special: false,
  ...more,
});
const TOKENS = [
  token("[CLS]", 0, { special: true }),
  ...["the", "cat", "it", "the"].map((text, index) => token(text, index + 1)),
];
const MASKED = -Infinity;

/** @type {(more?: Partial<Omit<Cell, "row">> & {row?: number[], at?: number}) => Cell} */
function cell({ row = [0.1, 0.1, 0.71, 0.05, 0.04], at = 3, ...more } = {}) {
  return {
    query: TOKENS[at],
    queries: TOKENS,
    keys: TOKENS,
    key: 2,
    row: Float32Array.from(row),
    stage: "weights",
    numbering: 0,
    isCross: false,
    isCausal: false,
    heads: 1,
    isChanged: false,
    isOff: false,
    hiding: "",
    isGiven: false,
    hasSink: false,
    ...more,
  };
}

/** @type {(more?: Parameters<typeof cell>[0]) => string} */
const said = (more) =>
  [
    cellSentence(cell(more))
      .map((piece) => (typeof piece === "string" ? piece : piece.label))
      .join(""),
    ...caveats(cell(more)),
  ].join(" ");

test("a weight is a share of the query's attention", () => {
  assert.equal(said(), "In this head, “it” gives 71 % of its attention to “cat”.");
  const [, query, , key] = cellSentence(cell());
  assert.deepEqual([query, key], [
    { label: "it", side: "query" },
    { label: "cat", side: "key" },
  ]); // prettier-ignore
  assert.equal(said({ key: 3 }), "In this head, “it” gives 5 % of its attention to itself.");
  assert.equal(
    said({ key: null }),
    "In this head, “it” attends most to “cat”: with 71 % of its attention.",
    "no key is chosen",
  );
  assert.match(said({ key: 4 }), /to “the₄”\.$/, "the other “the” is another token");
});

test("a share is neither 0 nor 100 % unless it is", () => {
  const row = [0.003, 0, 0.9965, 0.0005, 0];
  assert.match(said({ row }), /gives more than 99 % of/);
  assert.match(said({ row, key: 1 }), /gives 0 % of/);
  assert.match(said({ row, key: 3, at: 4 }), /gives less than 1 % of/);
  assert.match(said({ row: [0, 0, 1, 0, 0] }), /gives 100 % of/);
});

test("on a first or special token a head may only rest", () => {
  const row = [0.8, 0.05, 0.05, 0.05, 0.05];
  assert.match(said({ row, key: 0 }), /80 % of its attention to “\[CLS\]”\. Heads often rest on a special token when/);
  const plain = TOKENS.map((one) => ({ ...one, special: false }));
  assert.match(said({ row, key: 0, keys: plain }), /Heads often rest on the first token when/);
  assert.doesNotMatch(said({ row, key: 0, at: 0 }), /rest/, "its own attention");
  assert.doesNotMatch(said({ row, key: 0, isCross: true }), /rest/);
  assert.doesNotMatch(said({ row: [0.3, 0.7, 0, 0, 0], key: 0 }), /rest/);
});

test("what the mask forbids is no weight of 0", () => {
  const row = [0.5, 0.5, MASKED, MASKED, MASKED];
  const causal = { row, at: 1, isCausal: true };
  assert.equal(
    said(causal),
    "“the₁” cannot attend to “cat”: that comes later, and no token attends to a later one in this model.",
  );
  assert.equal(said({ ...causal, isCausal: false }), "The mask keeps “the₁” from attending to “cat”.");
  assert.match(
    said({ row: [MASKED, MASKED, 0.5, 0.5, MASKED], key: 0, isCausal: true }),
    /^The mask keeps/,
    "a window",
  );
  assert.equal(said({ ...causal, stage: "masked_scores" }), said(causal));
  const first = { row: [1, MASKED, MASKED, MASKED, MASKED], at: 0, key: 0, isCausal: true };
  assert.equal(
    said(first),
    "In this head, “[CLS]” may attend to nothing but itself, so all of its attention stays there.",
    "a decoder's first token",
  );
  assert.match(said({ ...first, at: 2 }), /“cat” may attend to nothing but “\[CLS\]”, so it gets all/);
});

test("only what adds up to 1 is a share", () => {
  const row = [0.1, 0.1, 0.4, 0.1, 0.1];
  const given = "In this head, “it” attends to “cat” with 0.4000; its row adds up to 0.80, not to 1.";
  assert.equal(said({ row, isGiven: true }), given, "weights that were uploaded");
  assert.equal(said({ row }), given);
  assert.equal(
    said({ row, hasSink: true }),
    "In this head, “it” gives 40 % of its attention to “cat”. The head's learned sink takes 20 %, which goes to no token.",
  );
  assert.match(said({ row, hiding: "hidden" }), /gives 40 % of its attention/, "hidden columns have the rest");
  assert.match(
    said({ hiding: "renormalised" }),
    /of the attention that “it” gives to the tokens shown, 71 % goes to “cat”\./,
  );
  assert.match(
    said({ row: [0, 0, 0, 0, 0], isChanged: true }),
    /^In this head of the changed model, “it” attends to nothing: its whole row is 0\.$/,
    "every edge is cut",
  );
});

test("it says of which heads, and of which model", () => {
  assert.match(said({ heads: 3 }), /^On average over 3 heads, “it” gives/);
  assert.match(said({ heads: 3, isChanged: true }), /^On average over 3 heads of the changed model, /);
  assert.match(
    said({ isChanged: true, isOff: true }),
    /71 % .* The head is switched off: nothing of this reaches the output\.$/,
  );
});

test("patches are named by their place, tokens of two texts are never the same", () => {
  const patches = [0, 1].map((index) =>
    token(`1,${index + 1}`, index, { box: [0, 0, 16, 16], label: `row 1, column ${index + 1}` }),
  );
  const image = { query: patches[0], queries: patches, keys: patches, row: [0.25, 0.75], key: 1 };
  assert.equal(said(image), "In this head, “row 1, column 1” gives 75 % of its attention to “row 1, column 2”.");
  assert.match(said({ isCross: true, at: 2 }), /“cat” gives 71 % of its attention to “cat”/);
});

test("scores and lengths are no shares", () => {
  const row = [1, -2, 3.5, 0, MASKED];
  assert.equal(
    said({ row, stage: "scaled_scores" }),
    "In this head, query “it” and key “cat” score 3.5000, the largest of its row.",
  );
  assert.match(said({ row, stage: "raw_scores", key: 3 }), /score 0\.0000, number 3 of 4 in its row\.$/);
  assert.match(said({ stage: "value_weighted" }), /“it” receives a vector of length 0\.7100 from “cat”/);
  assert.match(said({ stage: "norm_weighted" }), /what reaches “it” from “cat” has the length 0\.7100/);
});

test("what a row and a column are is said as the picture has it", () => {
  const [axes, sum] = rowAndColumn(cell());
  assert.match(axes, /^A row is the token that attends \(the query\), a column a token that it may attend to/);
  assert.equal(sum, "A row adds up to 100 %.");
  assert.match(rowAndColumn(cell({ isCross: true }))[0], /decoder .* a column a token of the input/);
  assert.deepEqual(rowAndColumn(cell({ stage: "raw_scores" }))[1], "Softmax turns a row into weights.");
  assert.equal(rowAndColumn(cell({ row: [0.1, 0.1, 0.4, 0.1, 0.1] })).length, 1);
  assert.equal(rowAndColumn(cell({ stage: "value_weighted" })).length, 1);
  assert.equal(rowAndColumn(cell({ hasSink: true })).length, 1);
});
