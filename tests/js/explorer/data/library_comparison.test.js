import assert from "node:assert/strict";
import { test } from "node:test";

import { createLibraryComparison } from "../../../../static/js/explorer/data/library_comparison.js";
import { ApiError } from "../../../../static/js/requests/api_request.js";

const PARITY = /** @type {any} */ ({ weights: 1e-7 });
const REQUEST = { model: "m", text: "a", changes: "off-0.1" };

test("the model as it is, is compared once at a time", async () => {
  /** @type {any[]} */
  const asked = [];
  const checks = /** @type {string[]} */ ([]);
  const library = createLibraryComparison(
    async (request) => {
      asked.push(request);
      return { parity: PARITY };
    },
    () => checks.push(library.now().check),
  );
  await library.compare(null);
  const first = library.compare(REQUEST);
  await library.compare(REQUEST);
  await first;
  assert.deepEqual(asked, [{ model: "m", text: "a", changes: "", parity: true }]);
  assert.deepEqual(checks, ["running", "done"]);
  assert.equal(library.now().parity, PARITY);
});

test("a refusal is told; an answer about another analysis is dropped", async () => {
  const library = createLibraryComparison(
    async () => Promise.reject(new ApiError("No.", { code: "not_possible" })),
    () => undefined,
  );
  await library.compare(REQUEST);
  assert.deepEqual(library.now(), { check: "failed", parity: null, problem: "No." });
  const late = library.compare(REQUEST);
  library.forget();
  await late;
  assert.equal(library.now().check, "none");
});
