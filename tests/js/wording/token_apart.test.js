import assert from "node:assert/strict";
import { test } from "node:test";
import { apartLabel, numberedLabel } from "../../../static/js/wording/token_apart.js";

/** @type {any[]} */
const TOKENS = ["the", "cat", "the", "end"].map((text, index) => ({ index: index + 8, id: 0, text, special: false }));

test("equal tokens are told apart by their positions, others are as they are", () => {
  assert.deepEqual(
    TOKENS.map((token) => apartLabel(TOKENS, token, 0)),
    ["the₈", "cat", "the₁₀", "end"],
  );
  assert.equal(apartLabel(TOKENS, TOKENS[2], 1), "the₁₁");
  assert.equal(numberedLabel(TOKENS[1], 1), "cat₁₀", "in the same digits where each has its number");
  assert.equal(
    numberedLabel({ ...TOKENS[1], text: "3,4", box: [0, 0, 1, 1] }, 1),
    "row 3, column 4",
    "its name says its place",
  );
});
