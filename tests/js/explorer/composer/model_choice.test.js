import assert from "node:assert/strict";
import { test } from "node:test";

import { withModel } from "../../../../static/js/explorer/composer/model_choice.js";
import { rowAfter } from "../../../../static/js/explorer/composer/model_picker.js";

const SHAPE = { kind: "decoder", layers: 6, heads: 8, kv_heads: 8 };
const MODELS = /** @type {import("../../../../static/js/api/types.js").Model[]} */ (
  /** @type {unknown} */ ([
    { id: "one", ...SHAPE, has_chat_template: true },
    { id: "alike", ...SHAPE, has_chat_template: true },
    { id: "larger", ...SHAPE, layers: 12, has_chat_template: false },
  ])
);
const NOTHING = { answer: null, against: null, cell: "", output: null, flow: "" };

test("what was chosen of an output is another model's; changes of heads stay with models of one shape", () => {
  assert.deepEqual(withModel("alike", "one", MODELS), { model: "alike", ...NOTHING });
  const isOther = { changes: "", baseline: false };
  assert.deepEqual(withModel("larger", "one", MODELS), { model: "larger", ...NOTHING, ...isOther, chat: false });
  assert.deepEqual(withModel("unlisted", "one", MODELS), { model: "unlisted", ...NOTHING, ...isOther });
});

test("keys lead from the field down to the first row, and from row to row", () => {
  const [field, ...rows] = ["field", "a", "b"].map(() => new EventTarget());
  const after = (/** @type {EventTarget} */ target, /** @type {string} */ key) =>
    rowAfter({ target, key }, field, rows);
  assert.equal(after(field, "ArrowDown"), rows[0]);
  assert.equal(after(field, "ArrowUp"), null);
  assert.equal(after(rows[0], "ArrowDown"), rows[1]);
  assert.equal(after(rows[1], "ArrowUp"), rows[0]);
  assert.equal(after(rows[0], "x"), null);
  assert.equal(after(new EventTarget(), "ArrowDown"), null);
  assert.equal(rowAfter({ target: field, key: "ArrowDown" }, field, []), null);
});
