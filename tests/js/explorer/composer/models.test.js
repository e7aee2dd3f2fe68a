import assert from "node:assert/strict";
import { test } from "node:test";

import {
  badgeOf,
  factsOf,
  groupsOf,
  isOpen,
  isUnseen,
  reasonOf,
  sectionsOf,
  short,
} from "../../../../static/js/explorer/composer/models.js";

/** @param {string} id @param {string} source @param {object} [more] */
const model = (id, source, more) =>
  /** @type {any} */ ({ id, title: id.toUpperCase(), source, available: true, is_here: true, ...more });

const MODELS = [
  model("owner/mine", "directory", { available: false }),
  model("other", "directory"),
  model("minilm", "package", { architecture: "BertModel", licence: "apache-2.0" }),
  model("trained", "training"),
  model("a/cached", "hub", { architecture: "GPT2LMHeadModel", licence: "mit" }),
  model("a/listed", "hub", { is_here: false }),
];
const ADAPTER = model("tuned", "directory", { base: "a/base" });

/** @param {string} query @param {string[]} [recent] */
const grouped = (query, recent = []) =>
  groupsOf(MODELS, query, recent).map(({ name, models }) => [name, models.map(({ id }) => id)]);

test("models are in groups by where they are, those that cannot be chosen last", () => {
  assert.deepEqual(grouped(""), [
    ["built_in", ["minilm", "trained"]],
    ["folder", ["other", "owner/mine"]],
    ["cache", ["a/cached"]],
    ["hub", ["a/listed"]],
  ]);
});

test("the models used last are first in their group", () => {
  assert.deepEqual(grouped("", ["trained", "owner/mine", "gone"])[0], ["built_in", ["trained", "minilm"]]);
  assert.deepEqual(grouped("", ["trained", "owner/mine"])[1], ["folder", ["other", "owner/mine"]]);
});

test("a filter looks for every word in name, architecture and licence", () => {
  assert.deepEqual(grouped("bert APACHE"), [["built_in", ["minilm"]]]);
  assert.deepEqual(grouped("mit"), [["cache", ["a/cached"]]]);
  assert.deepEqual(grouped("bert mit"), []);
});

test("what the hub has besides comes last, and first while it is what was asked for", () => {
  const refusalOf = (/** @type {{id: string}} */ { id }) => (id === "other" ? "reads no text" : "");
  const hub = { query: "gpt", models: [model("b/found", "hub"), model("a/listed", "hub")] };
  const names = (/** @type {string} */ query, found = hub) =>
    sectionsOf({ models: MODELS, refusalOf, hub: found }, query, []).map(({ name, models }) => [name, models.length]);
  assert.deepEqual(names(""), [
    ["built_in", 2],
    ["folder", 1],
    ["cache", 1],
    ["hub", 1],
    ["found", 1],
  ]);
  assert.deepEqual(names(" gpt "), [
    ["found", 1],
    ["cache", 1],
  ]);
  assert.deepEqual(names("bert mit", { query: "", models: [] }), []);
});

test("a row says what is known, and only that", () => {
  const known = { architecture: "BertModel", layers: 6, heads: 12, parameters: 22_713_728, size_bytes: 90_868_376 };
  assert.deepEqual(factsOf({ id: "x", ...known, licence: "mit", reads: "text", max_tokens: 512 }), [
    ...["BertModel", "6 layers × 12 heads", "22.7M parameters", "86.7 MiB", "up to 512 tokens", "mit"],
  ]);
  assert.deepEqual(factsOf({ id: "x" }), []);
  assert.deepEqual(factsOf({ id: "x", parameters: 5 }), ["5 parameters", "licence unknown"]);
  assert.deepEqual([999, 1000, 1_234_567, 7_240_000_000].map(short), ["999", "1K", "1.23M", "7.24B"]);
});

test("an adapter names its base, by which it is found", () => {
  assert.deepEqual(factsOf(ADAPTER), ["LoRA adapter of a/base"]);
  const part = model("seeing", "directory", { text_part_of: "gemma3" });
  assert.deepEqual(factsOf(part), ["text part of a gemma3 model"]);
  const found = (/** @type {string} */ query) =>
    groupsOf([ADAPTER, ...MODELS], query, []).flatMap((each) => each.models);
  assert.deepEqual(found("lora base"), [ADAPTER]);
});

test("badge, reason and whether it can be chosen agree", () => {
  const cases = /** @type {const} */ ([
    [{ support: "carried" }, "full", "", true],
    [{ support: "weights_only", support_reason: "why" }, "part", "why", true],
    [{ support: "refused", available: false, reason: "no", support_reason: "why" }, "none", "no", false],
    [{ support: "refused", support_reason: "why" }, "none", "why", false],
    [{ support: "carried", available: false, reason: "too large" }, "none", "too large", false],
    [{}, "unknown", "", true],
  ]);
  for (const [facts, kind, reason, open] of cases) {
    const each = /** @type {any} */ ({ id: "x", ...facts });
    assert.deepEqual([badgeOf(each).kind, reasonOf(each), isOpen(each)], [kind, reason, open]);
  }
  const gated = /** @type {any} */ ({ id: "x", support: "carried", gated: true });
  assert.deepEqual([isOpen(gated), isUnseen(gated), badgeOf(gated).kind], [false, false, "none"]);
});

test("what the hub's lists do not say is asked before a model is loaded", () => {
  const cases = /** @type {const} */ ([
    [{ support: "carried" }, true],
    [{ support: "carried", layers: 2 }, false],
    [{ is_here: true }, false],
    [{ support: "refused" }, false],
  ]);
  for (const [known, unseen] of cases) assert.equal(isUnseen(/** @type {any} */ ({ id: "x", ...known })), unseen);
});
