import assert from "node:assert/strict";
import { test } from "node:test";
import { changeName } from "../../../../../static/js/explorer/state/changes/change_names.js";

/** @type {any[]} */
const TOKENS = ["When", "the", "cat", "the"].map((text, index) => ({ index, id: 0, text, special: false }));
const named = { sides: () => ({ queries: TOKENS, keys: TOKENS }), numbering: /** @type {const} */ (0) };
const place = { part: "", layer: 0, head: 1 };

test("a change names tokens in quotation marks, and all of them without", () => {
  const cut = (/** @type {number | null} */ query, /** @type {number} */ key) =>
    changeName({ ...place, kind: "cut", query, key }, named);
  const row = (/** @type {[number, number][]} */ shares) =>
    changeName({ ...place, kind: "row", query: 0, shares }, named);
  assert.equal(row([]), "“When” attends to all equally");
  assert.equal(row([[2, 1]]), "“When” attends only to “cat”");
  assert.equal(
    row([
      [1, 0.5],
      [3, 0.5],
    ]),
    "“When” attends only to “the₁” 0.5, “the₃” 0.5",
  );
  assert.equal(cut(2, 1), "cut “cat” → “the₁”");
  assert.equal(cut(null, 0), "cut all tokens → “When”");
  assert.equal(cut(9, 0), "cut 9 → “When”");
});
