import assert from "node:assert/strict";
import test from "node:test";

import { examples, modelFor } from "../../../../static/js/explorer/state/examples.js";
import { DECODER, MINILM } from "../../../../static/js/wording/model_names.js";

const list = examples();
const repetition = list.find((one) => one.model === DECODER);
const other = list[0];

test("an example that needs a decoder brings it, whatever was chosen", () => {
  assert.ok(repetition);
  assert.equal(modelFor(repetition, { model: "some/model", text: "any" }), DECODER);
});

test("the others leave a model that somebody chose", () => {
  assert.equal(modelFor(other, { model: "some/model", text: "any" }), "some/model");
  assert.equal(modelFor(other, { model: DECODER, text: "a text of one's own" }), DECODER);
});

test("a model that an example brought goes with it", () => {
  assert.ok(repetition);
  assert.equal(modelFor(other, { model: DECODER, text: repetition.text }), MINILM);
});
