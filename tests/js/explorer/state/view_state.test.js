import assert from "node:assert/strict";
import { test } from "node:test";

import { LONGEST_IN_QUERY } from "../../../../static/js/base/fields.js";
import { DEFAULTS, readState, writeState } from "../../../../static/js/explorer/state/view_state.js";

/** @param {string} address */
const read = (address) => readState(new URL(address, "http://observatory.test/"));

/** @type {import("../../../../static/js/explorer/state/view_state.js").ViewState} */
const EVERYTHING = {
  model: "openai-community/gpt2",
  text: "猫 & «кот» = 100% #1\nسطر + line",
  pair: "second?",
  target: "drittens",
  chat: true,
  system: "Be brief & kind.",
  picture: "shapes",
  shade: 40,
  part: "decoder",
  view: "heads",
  layer: 3,
  head: 7,
  query: 0,
  key: 5,
  stage: "masked_scores",
  rows: "2:9",
  cols: "0:4",
  lang: "ja",
  theme: "night",
  numbering: 1,
  metric: "entropy",
  measures: "random",
  sorted: true,
  across: "entropy",
  up: "first_token",
  faint: /** @type {"1"} */ ("1"),
  heads: "5.11_3.1",
  order: "-entropy",
  find: "5.1",
  limits: "entropy~0.5~__same_token~~0.1",
  hide: true,
  words: true,
  renormalise: true,
  mean: true,
  top: 40,
  lock: "key",
  elements: "size",
  direction: "read_by",
  look: "direct_effect",
  answer: 262,
  against: 0,
  answerText: " Mary",
  againstText: " John & co",
  cell: "9.2",
  output: 7,
  threshold: 0.015,
  flow: "3.7.h2.1",
  corrupt: "The dog & more",
  corruptPicture: "face",
  patched: "pattern",
  places: "position",
  patchedAt: 3,
  answerAt: 5,
  noising: true,
  paths: "sender",
  pathHead: "1.0",
  via: "keys",
  heldFeedForward: true,
  changes: "off-5.11_cut-5.11-8.2",
  baseline: true,
  otherText: "Ein anderer Text & mehr",
  otherHead: "1.2",
  notes: ".5.11.8.2~coreference",
  otherModel: "tiny/other",
  reachCase: "packed",
  reachStart: 3,
  prompts: "A cat.\n猫",
  template: "{A} & {B}",
  answers: "{A}",
  targets: "Le {A}",
  promptChat: true,
  promptSystem: "Be brief.",
  keptSet: "1a-2b",
  slots: "A: x, y\nB: z",
  pairing: "row",
  distinct: false,
  align: "end",
  promptMeasure: "separator",
  promptOrder: "-induction",
  promptCell: "3.1",
  spread: true,
};

test("the bare page is the sentence with the pronoun", () => {
  assert.deepEqual(read("/"), DEFAULTS);
  assert.equal(DEFAULTS.layer, 5);
  assert.equal(DEFAULTS.head, 11);
});

test("every part of the state survives the URL", () => {
  const names = /** @type {(keyof typeof EVERYTHING)[]} */ (Object.keys(DEFAULTS));
  assert.deepEqual(Object.keys(EVERYTHING).sort(), [...names].sort());
  for (const name of names) assert.notDeepEqual(EVERYTHING[name], DEFAULTS[name], name);
  assert.deepEqual(read(writeState(EVERYTHING)), EVERYTHING);
});

test("a long text goes behind the hash, where no server sees it", () => {
  const state = { ...EVERYTHING, text: "語".repeat(LONGEST_IN_QUERY), pair: "p".repeat(LONGEST_IN_QUERY + 1) };
  const address = writeState(state);
  assert.ok(address.split("#")[0].length < 1600);
  assert.deepEqual(read(address), state);
});

test("a set of prompts is in the link unless it is too long for one", () => {
  const prompts = "p".repeat(11_000);
  assert.equal(read(writeState({ ...DEFAULTS, prompts })).prompts, prompts);
  const long = { ...DEFAULTS, prompts: "p".repeat(12_001), spread: true };
  assert.ok(writeState(long).length < 600);
  assert.deepEqual(read(writeState(long)), { ...long, prompts: "" });
});

test("a link to another text does not carry over the default's tokens", () => {
  const state = read("?text=Hello");
  assert.equal(state.query, null);
  assert.equal(state.key, null);
});

test("a query alone leaves the key open", () => {
  assert.equal(read("?query=3").query, 3);
  assert.equal(read("?query=3").key, null);
});

test("nonsense falls back to defaults", () => {
  const state = read("?layer=-1&head=1e3&query=x&stage=softmax&theme=pink&numbering=7&sorted=yes");
  const { layer, head, query, stage, theme, numbering, sorted } = state;
  assert.deepEqual(
    { layer, head, query, stage, theme, numbering, sorted },
    { layer: 5, head: 11, query: null, stage: "weights", theme: "", numbering: 0, sorted: false },
  );
});

test("a lone surrogate makes a link, not an exception", () => {
  assert.equal(read(writeState({ ...DEFAULTS, text: "a\ud800b" })).text, "a\ufffdb");
});
