import assert from "node:assert/strict";
import { test } from "node:test";

import { sortedPrompts } from "../../../../static/js/explorer/prompts/list.js";

const prompts = /** @type {any} */ ({
  prompts: [3, 5, 3, 4].map((count) => ({ text: "", tokens: Array(count).fill("a") })),
});

/** @param {"number" | "tokens" | "value"} column @param {boolean} isDescending @param {(number | null)[] | null} [values] */
const sorted = (column, isDescending, values = [0.5, null, 0.9, 0.1]) =>
  sortedPrompts({ prompts, values, title: "mean" }, { column, isDescending });

test("prompts are sorted by number, tokens or value, those without a value last, equal ones as they were", () => {
  assert.deepEqual(sorted("number", false), [0, 1, 2, 3]);
  assert.deepEqual(sorted("number", true), [3, 2, 1, 0]);
  assert.deepEqual(sorted("tokens", true), [1, 3, 0, 2]);
  assert.deepEqual(sorted("tokens", false), [0, 2, 3, 1]);
  assert.deepEqual(sorted("value", true), [2, 0, 3, 1]);
  assert.deepEqual(sorted("value", false), [3, 0, 2, 1]);
  const answers = /** @type {any} */ ({ answers: [3, 1, 9, 2].map((rank) => ({ rank, probability: 1 / rank })) });
  const rated = (/** @type {"rank" | "probability"} */ column) =>
    sortedPrompts({ prompts, values: null, title: "", answers }, { column, isDescending: false });
  assert.deepEqual(
    [rated("rank"), rated("probability")],
    [
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ],
  );
  assert.deepEqual(sorted("value", true, null), [0, 1, 2, 3]);
});
