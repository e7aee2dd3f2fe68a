import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../../static/js/base/store.js";
import { createDraftStore, isSame, requestOf } from "../../../../static/js/explorer/state/draft.js";

/** @typedef {import("../../../../static/js/explorer/state/view_state.js").ViewState} ViewState */

const plain = { model: "m", text: "a", pair: "", target: "", picture: "", changes: "", baseline: "" };
/** @param {object} more */
const asked = (more = {}) => requestOf(/** @type {ViewState} */ (/** @type {unknown} */ ({ ...plain, ...more })));

test("requests are the same when every text is", () => {
  const all = { text: "b", pair: "c", target: "d", changes: "off:0.1" };
  assert.equal(isSame(asked(), asked()), true);
  assert.equal(isSame(asked(all), asked({ ...all })), true);
  assert.equal(isSame(asked({ picture: "one" }), asked({ picture: "one", text: "unread" })), true);
});

test("any other text, one more or one fewer makes another request", () => {
  const changed = [{ model: "n" }, { text: "b" }, { pair: "c" }, { target: "d" }, { picture: "e" }, { changes: "f" }];
  for (const one of changed) {
    assert.equal(isSame(asked(), asked(one)), false, JSON.stringify(one));
    assert.equal(isSame(asked(one), asked()), false, JSON.stringify(one));
  }
  assert.equal(isSame(asked({ pair: "x" }), asked({ target: "x" })), false);
});

/** @param {Partial<ViewState>} [draft] */
function page(draft) {
  const shown = /** @type {ViewState} */ (/** @type {unknown} */ ({ ...plain, layer: 5, query: 8 }));
  const state = createStore(shown);
  const draftStore = createDraftStore(state, draft && { draft });
  /** @type {string[]} */
  const origins = [];
  draftStore.subscribe((_value, _changed, origin) => origins.push(origin));
  return { state, draftStore, origins };
}

test("what is wanted leaves the state alone until it arrives; what was typed meanwhile stays wanted", () => {
  const { state, draftStore, origins } = page();
  draftStore.put({ text: "b" }, "type");
  draftStore.put({ layer: 2, query: null }, "pick");
  assert.deepEqual(
    [state.get().text, state.get().layer, draftStore.get().text, draftStore.get().layer],
    ["a", 5, "b", 2],
  );
  const { draft } = draftStore.waiting();
  draftStore.send(true);
  draftStore.put({ text: "bc" }, "type");
  assert.equal(draftStore.waiting().isSent, false); // the text on its way is not the one that stands there
  state.set(draft, "shown");
  draftStore.arrive(draft);
  assert.deepEqual(draftStore.waiting(), { draft: { text: "bc" }, isSent: false });
  assert.equal(state.get().text, "b");
  assert.deepEqual(origins, ["type", "pick", "settle", "type", "shown"]);
});

test("putting what stands there already tells nobody; an entry of the history brings its draft back", () => {
  const { draftStore, origins } = page({ text: "left" });
  assert.equal(draftStore.get().text, "left");
  draftStore.put({ text: "left" }, "type");
  draftStore.replace({ text: "left" }, "pick");
  assert.deepEqual(origins, []);
  draftStore.replace({}, "pick");
  assert.equal(draftStore.get().text, "a");
});

test("a chat message has its system message, which a plain text has not", () => {
  const request = (/** @type {object} */ more) => requestOf(/** @type {any} */ ({ ...plain, ...more }));
  assert.deepEqual(request({ chat: true, system: "b" }), { model: "m", text: "a", chat: true, system_text: "b" });
  assert.deepEqual(request({ chat: true, system: "" }), { model: "m", text: "a", chat: true });
  assert.deepEqual(request({ chat: false, system: "b" }), { model: "m", text: "a" });
});
