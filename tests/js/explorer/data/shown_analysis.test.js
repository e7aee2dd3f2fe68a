import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../../../static/js/base/store.js";
import { createShownAnalysis, matchingPicture } from "../../../../static/js/explorer/data/shown_analysis.js";
import { createDraftStore } from "../../../../static/js/explorer/state/draft.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

/** @typedef {import("../../../../static/js/api/types.js").Analysis} Analysis */

/** @param {number} tokens @param {string} [id] */
function analysisOf(tokens, id = "a") {
  const words = Array.from({ length: tokens }, (_, index) => ({ index, text: `w${index}`, special: false }));
  const part = { name: "encoder", layers: 2, heads: 2, query_tokens: tokens, key_tokens: tokens, stages: ["weights"] };
  const sides = { query_side: "source", key_side: "source", metrics: {} };
  return /** @type {Analysis} */ (
    /** @type {unknown} */ ({ id, tokens: words, target_tokens: null, parts: [{ ...part, ...sides }], image: null })
  );
}

/** A page on which the test answers what is asked. */
function page() {
  /** @type {import("../../../../static/js/explorer/state/view_state.js").ViewState} */
  const start = { ...DEFAULTS, model: "m", text: "one", query: 0, key: null };
  const state = createStore(start);
  const draftStore = createDraftStore(state);
  const progress = createStore(/** @type {any} */ ({ phase: "idle", analysis: null, request: null, error: null }));
  /** @type {{request: any, answer: (analysis: Analysis | null) => void}[]} */
  const asked = [];
  let forgotten = 0;
  const shown = createShownAnalysis({
    state,
    draftStore,
    models: () => [],
    onAsk: () => (forgotten += 1),
    images: { settle: (/** @type {string} */ name) => name },
    session: {
      progress,
      cancel: () => undefined,
      run: (request) =>
        new Promise((resolve) => {
          const answer = (/** @type {Analysis | null} */ analysis) => {
            if (analysis) progress.set({ phase: "done", analysis, request });
            resolve(analysis);
          };
          asked.push({ request, answer });
        }),
    },
  });
  return { state, draftStore, progress, asked, shown, forgotten: () => forgotten };
}

test("what is wanted is shown once it is there, all of it in one step and inside what there is", async () => {
  const { state, draftStore, asked, shown, forgotten } = page();
  /** @type {string[]} */
  const told = [];
  state.subscribe((value, _changed, origin) => told.push(`${origin}: ${value.text}, layer ${value.layer}`));
  draftStore.put({ text: "two" }, "type");
  assert.equal(shown.isEdited(), true);
  const done = shown.run();
  assert.deepEqual(shown.asked(), { model: "m", text: "two" });
  assert.equal(state.get().text, "one");
  asked[0].answer(analysisOf(3));
  await done;
  assert.deepEqual(told, ["shown: two, layer 1"]);
  assert.deepEqual(draftStore.waiting(), { draft: {}, isSent: false });
  assert.deepEqual([shown.isEdited(), forgotten()], [false, 1]);
});

test("what is typed meanwhile stays wanted; what could not be had changes nothing", async () => {
  const { state, draftStore, asked, shown } = page();
  draftStore.put({ text: "two" }, "type");
  const done = shown.run();
  draftStore.put({ text: "three" }, "type");
  asked[0].answer(analysisOf(3));
  await done;
  assert.deepEqual([state.get().text, draftStore.get().text], ["two", "three"]);
  const refused = shown.run();
  asked[1].answer(null);
  await refused;
  assert.deepEqual([state.get().text, draftStore.get().text], ["two", "three"]);
  shown.letGo();
  assert.deepEqual(draftStore.waiting().draft, {});
});

test("going back to where what is shown was asked for writes the address anew, which is the one before", async () => {
  const { state, draftStore, asked, shown } = page();
  const before = state.get();
  draftStore.put({ text: "two" }, "pick");
  const done = shown.run();
  asked[0].answer(analysisOf(3));
  await done;
  /** @type {string[]} */
  const origins = [];
  state.set({ layer: 0 }, "pick");
  state.subscribe((_value, _changed, origin) => origins.push(origin));
  await shown.back(before, { draft: { text: "two" }, isSent: true });
  assert.deepEqual([state.get().text, asked.length, origins], ["two", 1, ["shown"]]);
});

test("going back to another view of the same analysis asks for nothing", async () => {
  const { state, asked, shown } = page();
  const first = shown.ask();
  asked[0].answer(analysisOf(3));
  await first;
  await shown.back({ ...state.get(), layer: 0, head: 9 }, { draft: { text: "typed" } });
  assert.deepEqual([state.get().layer, state.get().head, asked.length], [0, 1, 1]);
  const other = shown.back({ ...state.get(), text: "before" }, {});
  assert.equal(asked[1].request.text, "before");
  asked[1].answer(analysisOf(2));
  await other;
  assert.equal(state.get().text, "before");
});

test("uploaded tensors bring their own tokens in place of a text", async () => {
  const { state, draftStore, asked, shown, progress } = page();
  draftStore.put({ model: "tensors-1" }, "pick");
  const done = shown.run();
  asked[0].answer(analysisOf(2, "tensors-1"));
  await done;
  assert.equal(state.get().text, "w0 w1");
  assert.deepEqual(progress.get().request, { model: "tensors-1", text: "w0 w1" });
});

test("a model that reads images gets one, a model that reads texts none", () => {
  const models = /** @type {any} */ ([
    { id: "vit", reads: "image" },
    { id: "bert", reads: "text" },
  ]);
  assert.equal(matchingPicture({ model: "vit", picture: "" }, models)?.picture, "shapes");
  assert.equal(matchingPicture({ model: "bert", picture: "shapes" }, models)?.picture, "");
  assert.equal(matchingPicture({ model: "vit", picture: "face" }, models), null);
  assert.equal(matchingPicture({ model: "unknown", picture: "face" }, models), null);
});
