import assert from "node:assert/strict";
import { test } from "node:test";

import { outputAt } from "../../../../static/js/explorer/state/chosen_output.js";
import { openingQuery } from "../../../../static/js/explorer/state/selection.js";

/** @typedef {import("../../../../static/js/api/types.js").Analysis} Analysis */
/** @typedef {import("../../../../static/js/api/types.js").Prediction["kind"]} Kind */

const encoder = /** @type {const} */ ({ causal: false, query_side: "source" });
const decoder = /** @type {const} */ ({ causal: true, query_side: "source" });
const behind = /** @type {const} */ ({ causal: true, query_side: "target" });
const cross = /** @type {const} */ ({ causal: false, query_side: "target" });

/** @param {number} index */
const token = (index) => ({
  ...{
    index,
    id: 7,
    text: "cat",
    token: "cat",
    start: null,
    end: null,
    special: index === 0,
    segment: 0,
    box: null,
    seconds: null,
    word: null,
    word_text: null,
  },
});
const tokens = [0, 1, 2, 3].map(token);

/** @param {[Kind, number][]} made @param {Partial<Analysis>} [more] */
const analysed = (made, more) =>
  /** @type {Analysis} */ ({
    image: null,
    target_tokens: null,
    tokens,
    predictions: made.map(([kind, index]) => ({ kind, index, candidates: [], read_from: [] })),
    ...more,
  });

test("views begin where the model predicts, or where every token may be attended to, else at the first word", () => {
  assert.equal(openingQuery(analysed([]), encoder, tokens), 1);
  assert.equal(openingQuery(analysed([]), decoder, tokens), 3);
  assert.equal(openingQuery(analysed([["class", 0]]), encoder, tokens), 1);
  assert.equal(openingQuery(analysed([["class", 0]]), decoder, tokens), 3);
  assert.equal(openingQuery(analysed([["masked_token", 2]]), encoder, tokens), 2);
  assert.equal(openingQuery(analysed([["next_token", 3]]), encoder, tokens), 3);
  const image = /** @type {Analysis["image"]} */ ({ png: "" });
  assert.equal(openingQuery(analysed([["class", 0]], { image }), encoder, tokens.slice(1)), 0);
});

test("of two texts, what is predicted is in the one that is written", () => {
  const two = analysed([["next_token", 1]], { target_tokens: tokens.slice(0, 2) });
  assert.equal(openingQuery(two, encoder, tokens), 1);
  assert.equal(openingQuery(two, behind, tokens.slice(0, 2)), 1);
  assert.equal(openingQuery(two, cross, tokens.slice(0, 2)), 1);
  assert.equal(outputAt({ output: null, query: 3 }, two, encoder), 1);
});

test("every view explains one output: the chosen one, else that of the query", () => {
  const next = analysed([["next_token", 3]]);
  assert.equal(outputAt({ output: null, query: 2 }, next, decoder), 2);
  assert.equal(outputAt({ output: 1, query: 2 }, next, decoder), 1);
  assert.equal(outputAt({ output: 99, query: 2 }, next, decoder), 3);
  assert.equal(outputAt({ output: null, query: null }, next, decoder), 3);
  assert.equal(outputAt({ output: null, query: 2 }, analysed([["class", 0]]), encoder), 0);
  assert.equal(outputAt({ output: null, query: 2 }, analysed([["class", 0]]), decoder), 2);
});
