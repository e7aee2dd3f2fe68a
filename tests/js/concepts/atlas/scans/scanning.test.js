import assert from "node:assert/strict";
import { test } from "node:test";

import { shareDone } from "../../../../../static/js/concepts/atlas/scans/scanning.js";

/** @param {object} known */
const scan = (known) =>
  /** @type {any} */ ({ shards: 4, shards_done: 1, tokens: 0, tokens_per_second: null, seconds_left: null, ...known });

test("the share of a scan that is done is that of its parts until its speed is known, then that of its tokens", () => {
  assert.equal(shareDone(scan({ shards: 0, shards_done: 0 })), 0);
  assert.equal(shareDone(scan({})), 0.25);
  assert.equal(shareDone(scan({ tokens: 3_000, tokens_per_second: 500, seconds_left: 10 })), 3_000 / 8_000);
  assert.equal(shareDone(scan({ shards_done: 4, tokens: 8_000, tokens_per_second: 500, seconds_left: 0 })), 1);
});
