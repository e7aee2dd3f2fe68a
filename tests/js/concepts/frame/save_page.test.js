import assert from "node:assert/strict";
import { test } from "node:test";

import { startingQuery } from "../../../../static/js/concepts/frame/save_page.js";

test("a file begins with its own state, and over it what the address says", () => {
  const before = globalThis.location;
  globalThis.location = /** @type {any} */ ({ search: "?present=1&n=4" });
  assert.equal(startingQuery({ search: "q=45&n=6" }), "?q=45&n=4&present=1");
  assert.equal(startingQuery(null), "?present=1&n=4");
  globalThis.location = before;
});
