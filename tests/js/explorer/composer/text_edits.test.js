import assert from "node:assert/strict";
import { test } from "node:test";

import { appended, endOf, filled, masked, room } from "../../../../static/js/explorer/composer/text_edits.js";

/** @param {number} start @param {number} end */
const at = (start, end) => /** @type {any} */ ({ start, end });

test("a token is masked where it stands, counted in characters", () => {
  assert.equal(masked("The cat sat", at(4, 7), "[MASK]"), "The [MASK] sat");
  assert.equal(masked("😀 cat 😀", at(2, 5), "[MASK]"), "😀 [MASK] 😀");
  assert.equal(masked("walking", at(4, 7), "[MASK]"), "walk[MASK]");
  assert.equal(masked("猫は眠る", at(1, 2), "<mask>"), "猫<mask>眠る");
});

test("the blank that some vocabularies count to a token stays in front of the mask", () => {
  assert.equal(masked("The cat sat", at(3, 7), "<mask>"), "The <mask> sat");
});

test("what is put in a mask's place joins the words around it as its spelling says", () => {
  const text = "The [MASK] sat";
  assert.equal(filled(text, at(4, 10), "dog"), "The dog sat");
  assert.equal(filled(text, at(4, 10), "##n"), "Then sat");
  assert.equal(filled(text, at(4, 10), " dog"), "The dog sat");
  assert.equal(filled(text, at(3, 10), " dog"), "The dog sat"); // a mask that takes the blank before it
  assert.equal(filled("[MASK] sat", at(0, 6), " The"), "The sat");
  assert.equal(filled("😀 [MASK]", at(2, 8), "dog"), "😀 dog");
});

test("a token is appended with the blank that belongs to it, but for the first", () => {
  assert.equal(appended("The cat", " sat"), "The cat sat");
  assert.equal(appended("The cat", "s"), "The cats");
  assert.equal(appended("", " The"), "The");
});

test("it is appended where the predicting part reads", () => {
  const one = /** @type {any} */ ({ target_tokens: null });
  assert.equal(endOf({ model: "m", text: "a" }, one), "text");
  assert.equal(endOf({ model: "m", text: "a", text_pair: "b" }, one), "pair");
  assert.equal(endOf({ model: "m", text: "a" }, /** @type {any} */ ({ target_tokens: [] })), "target");
});

test("there is room up to the smaller of the model's limit and the server's", () => {
  const analysis = (/** @type {number | null} */ limit, /** @type {any} */ targets = null) =>
    /** @type {any} */ ({
      model: { max_tokens: limit, max_target_tokens: 5 },
      tokens: [1, 2, 3],
      target_tokens: targets,
    });
  assert.deepEqual(room(analysis(10), { max_tokens: 512 }), { left: 7, limit: 10 });
  assert.deepEqual(room(analysis(null), { max_tokens: 3 }), { left: 0, limit: 3 });
  assert.deepEqual(room(analysis(10, [1]), { max_tokens: 512 }), { left: 4, limit: 5 });
});
