import assert from "node:assert/strict";
import test from "node:test";

import { countedTokens, nextPatch, patchPlace } from "../../../static/js/wording/patches.js";
import { SAMPLES } from "../../../static/js/explorer/data/images.js";
import { PAINTED, samplePixels } from "../../../static/js/explorer/data/sample_images.js";

/** @param {Partial<import("../../../static/js/api/types.js").Token>} fields */
const token = (fields) => ({
  index: 0,
  id: 0,
  text: "",
  start: null,
  end: null,
  special: false,
  segment: 0,
  ...fields,
});

const CLS = token({ text: "[CLS]", special: true });
/** @type {import("../../../static/js/api/types.js").Token} */
const PATCH = token({ index: 6, text: "1,2", box: [8, 4, 4, 4] });

test("a patch has a row and a column, another token has none", () => {
  assert.deepEqual(patchPlace(PATCH), { row: 1, column: 2 });
  assert.equal(patchPlace(CLS), null);
});

test("rows and columns are counted from 1 where the reader wants it, once for each list", () => {
  const tokens = [CLS, PATCH];
  assert.equal(countedTokens(tokens, 0), tokens);
  const counted = countedTokens(tokens, 1);
  assert.deepEqual(counted, [CLS, { ...PATCH, text: "2,3" }]);
  assert.equal(countedTokens(tokens, 1), counted);
  const words = [CLS, token({ text: "1,2" })];
  assert.equal(countedTokens(words, 1), words, "a text that looks like a place is none");
});

test("arrows walk over patches and, above the first row, to what is none", () => {
  const grid = { first: 1, down: 2, across: 3 };
  const walk = (/** @type {number} */ index, /** @type {string[]} */ ...keys) =>
    keys.map((key) => (index = nextPatch(grid, index, key) ?? -1));
  assert.deepEqual(walk(1, "ArrowRight", "ArrowRight", "ArrowRight"), [2, 3, 3], "stops at the edge");
  assert.deepEqual(walk(3, "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"), [6, 6, 3, 0]);
  assert.deepEqual(walk(0, "ArrowLeft", "ArrowDown", "End", "Home", "ArrowLeft"), [0, 1, 3, 1, 1]);
  assert.equal(nextPatch(grid, 0, "ArrowUp"), null);
  assert.equal(nextPatch(grid, 2, "x"), null);
});

test("pictures of the page's own are what they say, and opaque", () => {
  assert.deepEqual(PAINTED, SAMPLES);
  const at = (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y) => [
    ...samplePixels(name, 20).slice((y * 20 + x) * 4, (y * 20 + x) * 4 + 4),
  ];
  assert.deepEqual(at("shapes", 6, 6), [206, 57, 43, 255], "the red disc");
  assert.deepEqual(at("shapes", 14, 6), [38, 89, 168, 255], "the blue square");
  assert.deepEqual(at("shapes", 0, 19), [242, 239, 230, 255], "the ground");
  for (const name of SAMPLES) {
    const pixels = samplePixels(name, 20);
    assert.equal(new Set(pixels.filter((_, index) => index % 4 === 3)).size, 1);
    assert.ok(new Set(pixels).size > 6, name);
  }
});
