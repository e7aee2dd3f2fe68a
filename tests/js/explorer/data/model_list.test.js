import assert from "node:assert/strict";
import { test } from "node:test";

import { createModelList } from "../../../../static/js/explorer/data/model_list.js";

const model = (/** @type {string} */ id, reads = "text") => ({ id, reads, available: true });

/** Answers each request at once. @type {any} */
const scheduler = {
  submit(/** @type {any} */ { send, onValue }) {
    void send().then(onValue);
    return { failure: () => null, cancel: () => undefined };
  },
};

test("a text is offered the model that pages open with, whatever stands before it in the list", async () => {
  /** @type {string[]} */
  const told = [];
  const answer = { models: [model("a-folder"), model("built-in")], default: "built-in", memory: null };
  const read = async () => /** @type {any} */ (answer);
  const list = createModelList({ onChange: () => undefined, onDefault: (id) => told.push(id) }, read, scheduler);
  assert.equal(list.opening(), null);
  await list.load();
  assert.deepEqual(told, ["built-in"]);
  assert.equal(list.opening()?.id, "built-in");
});

test("where no model reads text, none is offered", async () => {
  const read = async () => /** @type {any} */ ({ models: [model("eyes", "image")], default: null, memory: null });
  const list = createModelList({ onChange: () => undefined, onDefault: assert.fail }, read, scheduler);
  await list.load();
  assert.equal(list.opening(), null);
});
