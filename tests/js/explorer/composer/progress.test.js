import assert from "node:assert/strict";
import { test } from "node:test";

import { clockWords } from "../../../../static/js/explorer/composer/progress.js";

/** @typedef {Parameters<typeof clockWords>[0]} Data */

/** What the clock says 1 s after 1000 ms. @param {object} progress @param {object | null} [loading] */
const said = (progress, loading = null) =>
  clockWords(/** @type {Data} */ ({ progress: { since: 1000, retryAt: 0, ...progress }, loading }), 2000);

test("the clock counts the seconds of computing, but not before it has taken a while", () => {
  assert.equal(said({ phase: "running" }), "1.0 s");
  assert.equal(said({ phase: "running", since: 1700 }), "", "300 ms");
  assert.equal(said({ phase: "running", since: 1699 }), "0.3 s");
  assert.equal(said({ phase: "done" }), "");
});

test("before the next attempt it counts down, and says how much of a model is there", () => {
  assert.equal(said({ phase: "waiting", retryAt: 3200 }), "Next attempt in 2 s");
  assert.equal(said({ phase: "waiting", retryAt: 1200 }), "Next attempt in 0 s");
  assert.equal(said({ phase: "running" }, { done_bytes: 2 ** 21, total_bytes: 2 ** 23 }), "2 MiB of 8 MiB");
  assert.equal(said({ phase: "running" }, { done_bytes: 2 ** 21, total_bytes: 0 }), "2 MiB");
  assert.equal(said({ phase: "running" }, { done_bytes: 0, total_bytes: 2 ** 23 }), "1.0 s");
});
