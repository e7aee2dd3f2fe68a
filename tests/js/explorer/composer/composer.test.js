import assert from "node:assert/strict";
import { test } from "node:test";

import { partsOf } from "../../../../static/js/explorer/composer/composer.js";

const BERT = /** @type {const} */ ({ kind: "encoder", takes_pairs: true, has_chat_template: false });

/** The names of the parts that are there. @param {object} [draft] @param {object} [model] */
function names(draft, model) {
  const chosen = model && /** @type {typeof BERT} */ ({ ...BERT, ...model });
  const parts = partsOf({ model: "m", pair: "", chat: false, ...draft }, chosen);
  return Object.entries(parts).flatMap(([name, isThere]) => (isThere ? [name] : []));
}

test("a second text is offered unless the model takes none; one that is there stays", () => {
  assert.deepEqual(names({}, {}), ["second", "addSecond"]);
  assert.deepEqual(names({}, { takes_pairs: false }), []);
  assert.deepEqual(names({ pair: "two" }, { takes_pairs: false }), ["second", "addSecond"]);
  assert.deepEqual(names(), ["second", "addSecond"]); // before the list is there
});

test("chats are offered by a model that has a template, and while one is written; outputs by one with a decoder", () => {
  assert.deepEqual(names({}, { takes_pairs: false, has_chat_template: true }), ["chatOptions"]);
  assert.deepEqual(names({ chat: true }, { takes_pairs: false }), ["chatOptions"]);
  assert.deepEqual(names({}, { takes_pairs: false, kind: "encoder_decoder" }), ["target"]);
});

test("own tensors have no second text and no chat", () => {
  assert.deepEqual(names({ model: "tensors-1", chat: true }), ["own", "addSecond"]);
});
