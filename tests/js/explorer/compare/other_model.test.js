import assert from "node:assert/strict";
import { test } from "node:test";

import { inputOf, refusalOf } from "../../../../static/js/explorer/compare/other_model.js";

test("a model is compared with another one that takes the same, or of which that is not known yet", () => {
  assert.equal(refusalOf({ id: "b", reads: "sound" }, "a", "sound"), "");
  assert.equal(refusalOf({ id: "b" }, "a", "sound"), "");
  assert.match(refusalOf({ id: "b", reads: "text" }, "a", "sound"), /another kind of input/);
  assert.match(refusalOf({ id: "a", reads: "sound" }, "a", "sound"), /is shown/);
});

test("what a model takes is known from its analysis", () => {
  const [image, sound] = [/** @type {any} */ ({ png: "" }), /** @type {any} */ ({ seconds: 1 })];
  assert.equal(inputOf({ image, sound: null }), "image");
  assert.equal(inputOf({ image: null, sound }), "sound");
  assert.equal(inputOf({ image: null, sound: null }), "text");
});
