import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../../static/js/base/store.js";
import { bindNotebook, patchOf, selectionOf } from "../../../../static/js/explorer/shell/notebook.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

const part = (/** @type {string} */ name, /** @type {number} */ query_tokens) => ({
  name,
  query_tokens,
  key_tokens: 7,
});
const analysis = /** @type {any} */ ({ parts: [part("encoder", 7), part("cross", 5)] });
const CHOSEN = { part: "cross", layer: 1, head: 2, stage: "weights", view: "lines", query: 3, key: null };

test("a selection has the parts' names and whole numbers; as a patch it is the state again", () => {
  const state = {
    ...DEFAULTS,
    part: "cross",
    layer: 1,
    head: 2,
    view: /** @type {const} */ ("lines"),
    query: 3,
    key: null,
    cols: "2:6",
  };
  const selection = selectionOf(analysis, state);
  assert.deepEqual(selection, { ...CHOSEN, rows: [0, 5], cols: [2, 6] });
  assert.deepEqual({ ...DEFAULTS, ...patchOf(analysis, selection) }, state);
  assert.deepEqual(patchOf(analysis, { part: "encoder" }), { part: "" });
  assert.deepEqual(patchOf(analysis, { key: 4 }), { key: 4 });
});

test("the notebook is told of each change once, and of what became of its own", () => {
  /** @type {any[]} */
  const told = [];
  /** @type {Map<string, (message: any) => void>} */
  const heard = new Map();
  const host = { tell: (/** @type {any} */ message) => void told.push(message), listen: heard.set.bind(heard) };
  const state = createStore({ ...DEFAULTS, layer: 0, head: 0 });
  const fitted = (/** @type {any} */ value) => ({ ...value, layer: Math.min(value.layer, 1) });
  bindNotebook(/** @type {any} */ (host), { analysis, state, fitted });
  assert.deepEqual(told.splice(0), [{ type: "observatory:ready" }]);
  const say = (/** @type {string} */ type, /** @type {any} */ rest) => heard.get(type)?.({ type, ...rest });
  say("observatory:select", { turn: 4, selection: { layer: 9 } });
  assert.deepEqual(
    told.splice(0).map(({ selection }) => selection.layer),
    [1],
  );
  state.set({ query: 2, key: 4 });
  state.set({ words: true });
  assert.deepEqual(
    told.splice(0).map(({ selection }) => [selection.query, selection.key]),
    [[2, 4]],
  );
  say("observatory:theme", { theme: "night" });
  assert.deepEqual([state.get().theme, told.length], ["night", 0]);
});
