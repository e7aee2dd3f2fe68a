import assert from "node:assert/strict";
import { test } from "node:test";

import { effectOf } from "../../../../static/js/explorer/what_if/prediction_change.js";

/** @type {(...all: [string, number | null, number | null][]) => Parameters<typeof effectOf>[0]} */
const difference = (...all) => ({
  predictions: [
    {
      ...{ kind: "next_token", index: 3, other_index: 3, divergence: 0.1, total_variation: 0.1 },
      candidates: all.map(([text, before, after], id) => ({ id, text, before, after })),
    },
  ],
});
/** @type {import("../../../../static/js/api/types.js").Prediction[]} */
const PREDICTIONS = [{ kind: "next_token", index: 3, candidates: [], read_from: [] }];

test("the token that leads before, and the one that leads after", () => {
  const found = effectOf(difference(["Leo", 0.1, 0.2], ["Mary", 0.62, 0.08], ["John", 0.2, 0.7]), PREDICTIONS);
  assert.deepEqual([found?.kind, found?.index], ["next_token", 3]);
  assert.deepEqual(
    found?.tokens.map(({ text, before, after }) => [text, before, after]),
    [
      ["Mary", 0.62, 0.08],
      ["John", 0.2, 0.7],
    ],
  );
});

test("one token where the same leads in both; a probability that is not known is none", () => {
  const found = effectOf(difference(["Mary", 0.62, 0.5], ["John", null, 0.3]), PREDICTIONS);
  assert.deepEqual(found?.tokens, [{ id: 0, text: "Mary", before: 0.62, after: 0.5 }]);
});

test("nothing of a model that predicts nothing", () => {
  assert.equal(effectOf({ predictions: [] }, []), null);
  assert.equal(effectOf(difference(), PREDICTIONS), null);
});
