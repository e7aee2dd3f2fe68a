import assert from "node:assert/strict";
import { test } from "node:test";

import { createModelList } from "../../../../static/js/explorer/data/model_list.js";

const model = (/** @type {boolean} */ available) => ({ id: "mini", available });
const catalogue = (/** @type {object[]} */ models, used = 0) =>
  /** @type {any} */ ({ models, memory: { used }, any_hub_id: true, default: "mini" });

test("a list that says the same of every model draws nothing anew", async () => {
  const answers = [catalogue([model(false)]), catalogue([model(false)], 5), catalogue([model(true)], 5)];
  /** Answers one after the other. @type {any} */
  const scheduler = {
    submit: (/** @type {any} */ { onValue }) => (void Promise.resolve(answers.shift()).then(onValue), { failure: () => null }),
  };
  let drawn = 0;
  const list = createModelList({ onChange: () => drawn++, onDefault: () => undefined }, undefined, scheduler);

  await list.load();
  const first = list.models();
  assert.equal(drawn, 1);

  await list.load();
  assert.equal(drawn, 1, "only the memory is another");
  assert.equal(list.models(), first);
  assert.deepEqual(list.known().memory, { used: 5 });

  await list.load();
  assert.equal(drawn, 2);
  assert.deepEqual(list.models(), [model(true)]);
});
