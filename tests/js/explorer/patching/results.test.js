import assert from "node:assert/strict";
import test from "node:test";

import { resultsOf } from "../../../../static/js/explorer/patching/results.js";
import { waitingWords } from "../../../../static/js/explorer/patching/words.js";

/** @typedef {Parameters<typeof resultsOf>} Given */

const TOKENS = ["a", "b"].map((text, index) => ({ index, text }));
const IMAGES = [{ png: "clean" }, { png: "corrupt" }];
const BY_HEAD = {
  what: "output",
  by: "head",
  direction: "denoising",
  query_heads_per_column: 2,
  effects: [
    [0.25, -0.5],
    [0, 0.125],
  ],
  clean: { tokens: [1, 2, 3] },
};

/** @param {object} found @param {object[]} [images] @param {object} [grid] */
function resultsFor(found, images = [], grid = BY_HEAD) {
  const value = { layer: 1, head: 3, query: 1, numbering: 1 };
  const [scene, study, pictures] = /** @type {Given} */ (
    /** @type {unknown} */ ([{ value, queries: TOKENS, palette: {} }, { ...grid, ...found }, images])
  );
  return resultsOf(scene, study, pictures);
}

test("a grid by head marks the column of the chosen query head, on a scale that ends at the largest effect", () => {
  const { title, heads, positions, patches, most } = resultsFor({});
  assert.equal(title, "Effect of patching each head: head output");
  assert.deepEqual([heads?.layer, heads?.head], [1, 1], "two query heads to a column");
  assert.equal(most, 0.5);
  assert.deepEqual([positions, patches], [null, null]);
});

test("a grid by position has tokens where its columns are the prompt's, and the image that is patched", () => {
  const found = { by: "position", what: "residual", clean: { tokens: [1, 2] } };
  const { heads, positions, patches } = resultsFor(found, IMAGES);
  assert.deepEqual([heads, positions?.tokens, positions?.query], [null, TOKENS, 1]);
  assert.deepEqual([patches?.image, patches?.effects], [IMAGES[1], [0, 0.125]], "of the chosen layer");
  assert.equal(resultsFor({ ...found, direction: "noising" }, IMAGES).patches?.image, IMAGES[0]);
  assert.equal(resultsFor({ ...found, clean: { tokens: [1] } }, IMAGES).patches, null, "other columns");
});

test("paths are named by the head at their end and what they go through", () => {
  const { what: _what, by: _by, ...grid } = BY_HEAD;
  const titleOf = (/** @type {object} */ paths) => resultsFor(paths, [], grid).title;
  assert.equal(titleOf({ fixed: "logits" }), "Effect of the paths from each head to the logits");
  const head = { layer: 2, head: 4, via: "keys", to_logits: 0.5 };
  assert.equal(
    titleOf({ ...head, fixed: "receiver" }),
    "Effect of the paths from other heads to L3 H5, through its keys",
  );
  assert.equal(
    titleOf({ ...head, fixed: "sender" }),
    "Effect of the paths from L3 H5 to other heads, through their keys (straight to the logits: 0.50)",
  );
});

test("progress is a share once the total is known, and has no bar once it is stopped", () => {
  const known = waitingWords({ done: 3, total: 12 }, false);
  assert.deepEqual([known.share, known.hasBar, known.words], [0.25, true, "3 of 12 patched runs"]);
  const unknown = waitingWords(null, false);
  assert.deepEqual([unknown.share, unknown.words], [null, "Running the model on both prompts …"]);
  assert.deepEqual(waitingWords(null, true), { share: null, hasBar: false, isStopped: true, words: "Cancelled." });
});
