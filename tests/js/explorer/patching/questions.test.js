import assert from "node:assert/strict";
import test from "node:test";

import {
  hasCorrupt,
  obstacleTo,
  pairRequest,
  patchingRequest,
  pathsRequest,
  planOf,
} from "../../../../static/js/explorer/patching/questions.js";
import { DEFAULTS } from "../../../../static/js/explorer/state/view_state.js";

const analysis = /** @type {import("../../../../static/js/api/types.js").Analysis} */ (
  /** @type {unknown} */ ({
    id: "a",
    model: { id: "mini" },
    predictions: [],
    tokens: Array(6),
    parts: [{ name: "decoder", layers: 6, heads: 6 }],
  })
);
const value = { ...DEFAULTS, text: "a b", corrupt: "a c", layer: 2, head: 3 };
const prompts = { model: "mini", clean: "a b", corrupt: "a c", direction: "denoising" };

test("heads are patched at all positions or at one, all heads of a layer by position", () => {
  assert.deepEqual(patchingRequest(value, analysis), { ...prompts, what: "output", by: "head", part: null });
  const at = {
    ...value,
    patched: /** @type {const} */ ("keys"),
    patchedAt: 4,
    noising: true,
    answer: 7,
    against: 0,
    answerAt: 5,
  };
  assert.deepEqual(patchingRequest(at, analysis), {
    ...prompts,
    direction: "noising",
    answer: 7,
    against: 0,
    position: 5,
    what: "keys",
    by: "head",
    part: null,
    patched_position: 4,
  });
  assert.equal("patched_position" in (patchingRequest({ ...at, patchedAt: 6 }, analysis) ?? {}), false);
  const places = { ...at, places: /** @type {const} */ ("position"), part: "decoder" };
  assert.deepEqual(patchingRequest(places, analysis), {
    ...prompts,
    direction: "noising",
    answer: 7,
    against: 0,
    position: 5,
    what: "keys",
    by: "position",
    part: "decoder",
  });
});

test("the residual stream belongs to positions, and to no cross-attention", () => {
  const residual = { ...value, patched: /** @type {const} */ ("residual"), patchedAt: 4, part: "cross" };
  assert.deepEqual(patchingRequest(residual, analysis), { ...prompts, what: "residual", by: "position", part: null });
});

test("paths are asked for instead, from the chosen head unless another is named", () => {
  const paths = { ...value, paths: /** @type {const} */ ("receiver"), via: /** @type {const} */ ("keys") };
  assert.equal(patchingRequest(paths, analysis), null);
  assert.equal(pathsRequest(value, analysis), null);
  const at = { ...prompts, fixed: "receiver", via: "keys" };
  assert.deepEqual(pathsRequest(paths, analysis), { ...at, layer: 2, head: 3 });
  assert.deepEqual(pathsRequest({ ...paths, pathHead: "1.0" }, analysis), { ...at, layer: 1, head: 0 });
  assert.deepEqual(pathsRequest({ ...paths, pathHead: "9.0" }, analysis), { ...at, layer: 2, head: 3 });
  assert.deepEqual(pathsRequest({ ...paths, paths: "logits" }, analysis), { ...prompts, fixed: "logits" });
});

test("a token that was typed goes before one that was picked", () => {
  const typed = { ...value, answer: 7, against: 0, answerText: " Mary" };
  assert.deepEqual(patchingRequest(typed, analysis), {
    ...prompts,
    answer: " Mary",
    against: 0,
    what: "output",
    by: "head",
    part: null,
  });
  assert.deepEqual(pathsRequest({ ...typed, againstText: "7", paths: "logits" }, analysis), {
    ...prompts,
    answer: " Mary",
    against: "7",
    fixed: "logits",
  });
});

test("a chat message is one in every request, with its system message", () => {
  const asChat = { ...value, chat: true, system: "d" };
  const said = { chat: true, system_text: "d" };
  assert.deepEqual(pairRequest(asChat, analysis), { model: "mini", clean: "a b", corrupt: "a c", ...said });
  assert.deepEqual(patchingRequest(asChat, analysis), { ...prompts, ...said, what: "output", by: "head", part: null });
  assert.deepEqual(pathsRequest({ ...asChat, paths: "logits" }, analysis), { ...prompts, ...said, fixed: "logits" });
  const without = pairRequest({ ...asChat, system: "" }, analysis);
  assert.deepEqual(without, { model: "mini", clean: "a b", corrupt: "a c", chat: true });
  assert.equal("system_text" in (pairRequest({ ...asChat, chat: false }, analysis) ?? {}), false);
});

test("without a corrupt prompt nothing is asked for", () => {
  const empty = { ...value, corrupt: "  " };
  assert.equal(patchingRequest(empty, analysis), null);
  assert.equal(pathsRequest({ ...empty, paths: "logits" }, analysis), null);
});

const ofImages = /** @type {typeof analysis} */ (
  /** @type {unknown} */ ({ ...analysis, model: { id: "vit" }, image: {}, predictions: [{ kind: "class" }] })
);

test("a class of a text belongs to no position", () => {
  const classes = /** @type {typeof analysis} */ (
    /** @type {unknown} */ ({ ...analysis, predictions: [{ kind: "class", index: 0, candidates: [] }] })
  );
  const at = { ...value, answer: 2, answerAt: 3 };
  const asked = { ...prompts, what: "output", by: "head", part: null, answer: 2 };
  assert.deepEqual(patchingRequest(at, classes), asked);
  assert.deepEqual(patchingRequest(at, analysis), { ...asked, position: 3 });
});

test("images are named by their analyses, as soon as the corrupt one has been analysed", () => {
  const images = { ...value, picture: "shapes", corruptPicture: "face", answer: 2, answerAt: 3, chat: true };
  const asked = { model: "vit", clean_analysis: "a", corrupt_analysis: "b" };
  assert.deepEqual(pairRequest(images, ofImages, "b"), asked);
  assert.deepEqual(patchingRequest(images, ofImages, "b"), {
    ...asked,
    answer: 2,
    direction: "denoising",
    what: "output",
    by: "head",
    part: null,
  });
  const paths = pathsRequest({ ...images, paths: "logits" }, ofImages, "b");
  assert.deepEqual(paths, { ...asked, answer: 2, direction: "denoising", fixed: "logits" });
  for (const request of [pairRequest, patchingRequest]) {
    assert.equal(request(images, ofImages), null);
    assert.equal(request({ ...images, corruptPicture: "" }, ofImages, "b"), null);
  }
  assert.deepEqual(
    [hasCorrupt(images, ofImages), hasCorrupt({ ...images, corruptPicture: "" }, ofImages)],
    [true, false],
  );
});

test("models of images without classes are refused in a sentence", () => {
  assert.equal(obstacleTo({ ...value, picture: "shapes" }, ofImages), "");
  assert.match(obstacleTo({ ...value, picture: "shapes" }, { ...ofImages, predictions: [] }), /predicts no classes/);
});

test("two texts, sounds and tensors are refused in a sentence", () => {
  assert.equal(obstacleTo(value, analysis), "");
  assert.match(obstacleTo({ ...value, pair: "c" }, analysis), /Remove the second text/);
  assert.match(obstacleTo({ ...value, picture: "sound-vowels" }, analysis), /reads sounds/);
  assert.match(obstacleTo(value, { ...analysis, id: "tensors-1" }), /No model ran here/);
  const model = { ...analysis.model, support: /** @type {const} */ ("weights_only") };
  assert.match(obstacleTo(value, { ...analysis, model }), /nothing in this model can be patched/);
});

test("the number of runs is said before they are made", () => {
  const part = /** @type {any} */ ({ layers: 6, heads: 6, kv_heads: 2, query_tokens: 13, key_tokens: 9 });
  assert.match(planOf(value, part), /36 patched runs: 6 layers × 6 heads/);
  assert.match(planOf({ ...value, patched: "keys" }, part), /12 patched runs: 6 layers × 2 heads/);
  assert.match(planOf({ ...value, patched: "residual" }, part), /78 patched runs: 6 layers × 13 positions/);
  assert.match(planOf({ ...value, places: "position", patched: "values" }, part), /54 .*: 6 layers × 9 positions/);
  assert.equal(planOf({ ...value, paths: "logits" }, part), "");
});
