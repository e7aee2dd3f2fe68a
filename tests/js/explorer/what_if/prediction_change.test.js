import assert from "node:assert/strict";
import { test } from "node:test";

import { effectOf } from "../../../../static/js/explorer/what_if/prediction_change.js";

/** @type {(...all: [string, number | null, number | null][]) => Parameters<typeof effectOf>[0]} */
const difference = (...all) => ({
  embedding: null,
  predictions: [
    {
      kind: "next_token",
      index: 3,
      other_index: 3,
      divergence: 0.1,
      total_variation: 0.1,
      candidates: all.map(([text, before, after], id) => ({ id, text, before, after })),
    },
  ],
});
/** @type {import("../../../../static/js/api/types.js").Prediction[]} */
const PREDICTIONS = [{ kind: "next_token", index: 3, candidates: [], read_from: [] }];

/** @type {(...given: Parameters<typeof effectOf>) => import("../../../../static/js/explorer/what_if/prediction_change.js").PredictionEffect} */
const ofTokens = (...given) => {
  const found = effectOf(...given);
  assert(found && found.kind !== "embedding");
  return found;
};

test("the token that leads before, and the one that leads after", () => {
  const found = ofTokens(difference(["Leo", 0.1, 0.2], ["Mary", 0.62, 0.08], ["John", 0.2, 0.7]), PREDICTIONS);
  assert.deepEqual([found.kind, found.index], ["next_token", 3]);
  assert.deepEqual(
    found.tokens.map(({ text, before, after }) => [text, before, after]),
    [
      ["Mary", 0.62, 0.08],
      ["John", 0.2, 0.7],
    ],
  );
});

test("one token where the same leads in both; a probability that is not known is none", () => {
  const found = ofTokens(difference(["Mary", 0.62, 0.5], ["John", null, 0.3]), PREDICTIONS);
  assert.deepEqual(found.tokens, [{ id: 0, text: "Mary", before: 0.62, after: 0.5 }]);
});

test("of a model that predicts nothing, its embedding where it is known", () => {
  const embedding = { length: 5.7, other_length: 5, cosine: 0.98 };
  assert.deepEqual(effectOf({ predictions: [], embedding }, []), {
    kind: "embedding",
    before: 5.7,
    after: 5,
    cosine: 0.98,
  });
  assert.equal(effectOf({ predictions: [], embedding: null }, []), null);
  assert.equal(effectOf(difference(), PREDICTIONS), null);
});
