import assert from "node:assert/strict";
import { test } from "node:test";

import {
  captionOf,
  fileName,
  gridCaptionOf,
  gridFileName,
  withSide,
} from "../../../../static/js/explorer/saving/captions.js";

import { VIEWS } from "../../../../static/js/explorer/state/view_state.js";

/** @typedef {import("../../../../static/js/explorer/state/view_state.js").ViewState} ViewState */

const analysis = /** @type {any} */ ({
  model: { id: "some/minilm-v2", title: "MiniLM" },
  tokens: ["a", "b"].map((text, index) => ({ text, index })),
  parts: [{ name: "encoder", query_side: "source", key_side: "source" }],
});
const plain = {
  model: "some/minilm-v2",
  text: "The cat.",
  pair: "",
  target: "",
  picture: "",
  part: "",
  view: "matrix",
};
const head = { layer: 5, head: 11, stage: "weights", rows: "", cols: "", numbering: 0, look: "" };
const none = { changes: "", baseline: false, otherText: "", otherModel: "", otherHead: "" };
/** @param {object} [more] */
const value = (more) => /** @type {ViewState} */ (/** @type {unknown} */ ({ ...plain, ...head, ...none, ...more }));

test("a caption tells the model, the texts and the changes, or that none is made yet", () => {
  assert.equal(captionOf(value(), analysis), "MiniLM · The cat.");
  assert.equal(captionOf(value({ pair: "A  dog." }), analysis), "MiniLM · The cat. / A dog.");
  assert.equal(captionOf(value({ model: "tensors-1", text: "a b" }), analysis), "MiniLM · own tensors");
  const changed = { changes: "off-5.11" };
  assert.equal(
    captionOf(value(changed), analysis),
    "MiniLM · The cat. · with changes inside the model: Layer 5, head 11: off",
  );
  const before = captionOf(value({ ...changed, baseline: true }), analysis);
  assert.equal(before, "MiniLM · The cat. · before the changes (unchanged model)");
  const both = captionOf(value({ ...changed, view: "compare" }), analysis);
  assert.equal(both, "MiniLM · The cat. · before and after changes: Layer 5, head 11: off");
  assert.match(captionOf(value({ view: "compare", otherText: "A dog." }), analysis), /compared with A dog\.$/);
  assert.match(captionOf(value({ view: "compare", otherHead: "2.7" }), analysis), /compared with Layer 2, head 7$/);
});

test("of a model with several parts it says which", () => {
  const side = { query_side: "source", key_side: "source" };
  const parts = ["encoder", "decoder", "cross"].map((name) => ({ name, ...side }));
  const several = { ...analysis, parts };
  assert.equal(
    captionOf(value({ part: "cross", target: "Eine" }), several),
    "MiniLM · Cross-attention · The cat. / Eine",
  );
  assert.equal(captionOf(value(), several), "MiniLM · Encoder · The cat.");
  const set = { view: "prompts", prompts: "A cat.", template: "", part: "decoder", targets: "" };
  assert.equal(captionOf(value(set), several), "MiniLM · Encoder · A cat.");
  assert.equal(captionOf(value({ ...set, targets: "Eine" }), several), "MiniLM · Decoder · A cat.");
});

test("an average over prompts is captioned with its set", () => {
  const set = { view: "prompts", prompts: "A cat.\nA dog.\nA bird.", template: "", changes: "off-5.11" };
  assert.equal(captionOf(value(set), analysis), "MiniLM · A cat. and 2 more prompts");
  assert.equal(captionOf(value({ ...set, template: "{A} sat." }), analysis), "MiniLM · {A} sat.");
  assert.equal(captionOf(value({ ...set, prompts: "" }), analysis), "MiniLM");
});

test("a patching study is captioned with both prompts, and with no change, for its model is unchanged", () => {
  const study = { view: "patching", corrupt: "A  dog.", changes: "off-5.11" };
  assert.equal(captionOf(value(study), analysis), "MiniLM · The cat. · corrupt: A dog.");
  assert.equal(captionOf(value({ ...study, baseline: true }), analysis), "MiniLM · The cat. · corrupt: A dog.");
  assert.equal(captionOf(value({ ...study, corrupt: " " }), analysis), "MiniLM · The cat.");
  assert.match(captionOf(value({ ...study, corrupt: "a".repeat(91) }), analysis), /corrupt: a{90} …$/);
  assert.equal(fileName(value(study), analysis), fileName(value({ ...study, changes: "" }), analysis));
  // The picture of all heads is of the changed model all the same.
  const changed = "MiniLM · The cat. · with changes inside the model: Layer 5, head 11: off";
  assert.equal(gridCaptionOf(value(study), analysis), changed);
  assert.equal(gridCaptionOf(value({ view: "prompts", prompts: "A cat.", changes: "off-5.11" }), analysis), changed);
});

test("a file is named after a head if, and only if, its picture is of that head", () => {
  const ofHead = ["matrix", "lines", "vectors", "compare", "prompts"];
  for (const view of VIEWS) {
    const name = fileName(value({ view, part: "decoder" }), analysis);
    const stem = ofHead.includes(view) ? "minilm-v2-decoder-layer5-head11" : "minilm-v2-decoder";
    assert.equal(name, `${stem}-${view === "matrix" ? "weights" : view}`);
  }
});

test("every picture that differs has a name of its own", () => {
  assert.equal(fileName(value(), analysis), "minilm-v2-layer5-head11-weights");
  assert.equal(gridFileName(value(), analysis), "minilm-v2-every-head");
  const others = [
    { stage: "raw_scores" },
    { layer: 4 },
    { head: 1 },
    { part: "decoder" },
    { view: "lines" },
    { view: "output", look: "logit_lens" },
    { view: "output", look: "attribution" },
    { view: "compare" },
    { rows: "2:8" },
    { cols: "2:8" },
    { changes: "off-5.11" },
    { changes: "off-5.11", baseline: true },
    { changes: "off-5.11_off-0.1" },
    { changes: Array.from({ length: 12 }, (_, index) => `off-0.${index}`).join("_") },
    { changes: Array.from({ length: 12 }, (_, index) => `off-1.${index}`).join("_") },
  ];
  const names = [{}, ...others].map((more) => fileName(value(more), analysis));
  assert.equal(new Set(names).size, names.length, names.join("\n"));
  for (const name of names) assert.match(name, /^[A-Za-z0-9.-]{1,120}$/);
});

test("the server's name tells before from after too", () => {
  const after = value({ changes: "off-5.11" });
  assert.equal(withSide("m-layer5-weights-changed.csv", after), "m-layer5-weights-after-off-5.11.csv");
  assert.equal(withSide("m-layer5-weights.csv", { ...after, baseline: true }), "m-layer5-weights-before.csv");
  assert.equal(withSide("m-layer5-weights.csv", value()), "m-layer5-weights.csv");
});
