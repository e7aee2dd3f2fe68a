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

const mini = (/** @type {boolean} */ available) => ({ id: "mini", available });
const catalogue = (/** @type {object[]} */ models, used = 0) =>
  /** @type {any} */ ({ models, memory: { used }, any_hub_id: true, default: "mini" });

test("a list that says the same of every model draws nothing anew", async () => {
  const answers = [catalogue([mini(false)]), catalogue([mini(false)], 5), catalogue([mini(true)], 5)];
  const read = async () => /** @type {any} */ (answers.shift());
  let drawn = 0;
  const list = createModelList({ onChange: () => drawn++, onDefault: () => undefined }, read, scheduler);

  await list.load();
  const first = list.models();
  assert.equal(drawn, 1);

  await list.load();
  assert.equal(drawn, 1, "only the memory is another");
  assert.equal(list.models(), first);
  assert.deepEqual(list.known().memory, { used: 5 });

  await list.load();
  assert.equal(drawn, 2);
  assert.deepEqual(list.models(), [mini(true)]);
});
