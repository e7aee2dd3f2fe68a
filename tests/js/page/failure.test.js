import assert from "node:assert/strict";
import { test } from "node:test";

import { waitingSays } from "../../../static/js/page/failure.js";

test("seconds are counted up to whole ones, and never to none, until it is tried", () => {
  const failed = /** @type {const} */ ({ kind: "failed", isTrying: false });
  assert.equal(waitingSays({ ...failed, retryAt: 12_300 }, 10_000), "Trying again in 3 s.");
  assert.equal(waitingSays({ ...failed, retryAt: 12_300 }, 13_000), "Trying again in 1 s.");
  assert.equal(waitingSays({ ...failed, retryAt: null }, 10_000), "");
  assert.equal(waitingSays({ ...failed, isTrying: true, retryAt: null }, 10_000), "Trying again …");
  assert.equal(waitingSays({ kind: "slow", isTrying: true, retryAt: null }, 10_000), "");
});
