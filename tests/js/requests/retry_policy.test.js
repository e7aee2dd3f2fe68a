import assert from "node:assert/strict";
import { test } from "node:test";

import { canRepeat, isAway, isTemporary, readRetryAfter, waitAfter } from "../../../static/js/requests/retry_policy.js";

/** @param {number} status */
const withStatus = (status) => ({ code: "any", status });

test("what passes by itself, and what means that the server is away", () => {
  const all = [400, 404, 409, 413, 422, 429, 500, 501, 502, 503, 504];
  assert.deepEqual(
    all.filter((status) => isTemporary(withStatus(status))),
    [429, 500, 502, 503, 504],
  );
  assert.deepEqual(
    all.filter((status) => isAway(withStatus(status))),
    [429, 502, 503, 504],
  );
  for (const code of ["unreachable", "no_answer"]) assert.ok(isAway({ code, status: 0 }));
  assert.equal(isTemporary({ code: "not_measured", status: 0 }), false);
  assert.equal(isTemporary(new TypeError("a defect")), false);
});

test("repeating is offered where the same request may succeed", () => {
  assert.deepEqual(
    [400, 404, 409, 413, 422, 500].filter((status) => canRepeat(withStatus(status))),
    [404, 409, 500],
  );
  assert.equal(canRepeat({ code: "offline", status: 404 }), false);
});

test("waits double up to half a minute, then end", () => {
  const waits = Array.from({ length: 9 }, (_, index) => waitAfter(index + 1, withStatus(503), 0));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16000, 30000, 30000, null, null]);
  assert.equal(waitAfter(1, withStatus(503), 1), 1250);
  assert.equal(waitAfter(1, withStatus(404), 0), null);
});

test("what the server asks for is the least that is waited, unless it is very long", () => {
  assert.equal(waitAfter(1, { status: 503, retryAfter: 7 }, 0), 7000);
  assert.equal(waitAfter(5, { status: 429, retryAfter: 7 }, 0), 16000);
  assert.equal(waitAfter(1, { status: 503, retryAfter: 86_400 }, 0), null);
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-11-22T10:00:00Z");
  assert.equal(readRetryAfter("12", now), 12);
  assert.equal(readRetryAfter("0", now), 1);
  assert.equal(readRetryAfter("Sun, 22 Nov 2026 10:00:30 GMT", now), 30);
  assert.equal(readRetryAfter("Sun, 22 Nov 2026 09:00:00 GMT", now), 1);
  for (const nothing of [null, "", "soon"]) assert.equal(readRetryAfter(nothing, now), null);
});
