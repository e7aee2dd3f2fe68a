import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, test } from "node:test";

import { codec } from "../../../../static/js/base/fields.js";
import { setMessages } from "../../../../static/js/base/i18n.js";
import { settingsApart, settingsInWords, settingsNote } from "../../../../static/js/concepts/training/settings.js";
import { fields, request, settingsOf } from "../../../../static/js/concepts/training/state.js";

const TEMPLATE = readFileSync(new URL("../../../../templates/concepts/training.html", import.meta.url), "utf8");
const FORM = TEMPLATE.slice(TEMPLATE.indexOf("train-fields"), TEMPLATE.indexOf("</fieldset>"));

/** As the server answers. @param {string} search */
function config(search) {
  const state = codec(fields).read(search);
  return /** @type {any} */ ({ num_kv_heads: null, feed_forward: false, ...request(state) });
}

afterEach(() => setMessages({}));

test("settings have the labels of the form, in its order, and its words for their values", () => {
  const labels = [...FORM.matchAll(/\{\{ (?:select|number|check)\("\w+", _\("([^"]+)"\)/g)].map(([, label]) => label);
  assert.equal(labels.length, 11);
  assert.deepEqual(
    settingsInWords(config("")).map(({ label }) => label),
    labels,
  );
  for (const [field, at] of /** @type {const} */ ([
    ["task", 0],
    ["positions", 1],
    ["mechanism", 2],
  ])) {
    const line = FORM.split("\n").find((one) => one.includes(`select("${field}"`)) ?? "";
    const options = [...line.matchAll(/"(\w+)": (?:_\()?"([^"]+)"/g)];
    assert.ok(options.length >= 3);
    for (const [, value, word] of options) {
      assert.equal(settingsInWords(config(`?${field}=${value}`))[at].value, word);
    }
  }
});

test("two runs are told apart by what differs alone, in the reader's language", () => {
  setMessages({ "Learning rate": "学習率", "Key/value heads": "KV ヘッド数", "one each": "各クエリヘッドに 1 つ" });
  assert.deepEqual(settingsApart(config("?rate=0.003"), config("?kv=2")), [
    { label: "KV ヘッド数", values: ["各クエリヘッドに 1 つ", "2"] },
    { label: "学習率", values: ["0.003", "0.01"] },
  ]);
  assert.deepEqual(settingsApart(config("?mlp=1&kv=4"), config("?mlp=1")), []);
});

test("curves are said to be of their run's settings once the form has others, and of nothing else", () => {
  const { read } = codec(fields);
  const run = config("?rate=0.003&kv=2");
  assert.equal(
    settingsNote(run, read("?rate=0.02&layers=3&kv=2")),
    "The settings have changed since. These curves are of: Layers 2 · Learning rate 0.003",
  );
  for (const search of ["?rate=0.003&kv=2", "?rate=0.003&kv=2&guess=none&layer=0&head=3"]) {
    assert.equal(settingsNote(run, read(search)), "");
  }
  assert.equal(settingsNote(run, { ...read("?rate=0.02&layers=3"), ...settingsOf(run) }), "");
});
