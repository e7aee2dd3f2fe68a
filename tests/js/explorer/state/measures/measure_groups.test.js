import assert from "node:assert/strict";
import { test } from "node:test";

import {
  GROUPS,
  canMeasure,
  groupsShown,
  leaving,
  wanting,
} from "../../../../../static/js/explorer/state/measures/measure_groups.js";

const [random] = GROUPS;
const NOTHING = { measures: "", metric: "", order: "", limits: "" };

/** @param {object} [model] @param {string} [id] */
const analysisOf = (model = {}, id = "a") =>
  /** @type {any} */ ({ id, model: { id: "m", reads: "text", kind: "encoder", max_tokens: 512, ...model } });
const self = /** @type {any} */ ({ query_side: "source", key_side: "source" });
const cross = /** @type {any} */ ({ query_side: "target", key_side: "source" });

test("measures can be had of models that read texts, where a text reads itself", () => {
  assert.ok(canMeasure(analysisOf(), self, "induction"));
  assert.ok(canMeasure(analysisOf({ max_tokens: null }), self, "previous_token_random"));
  assert.equal(canMeasure(analysisOf(), self, "entropy"), false);
  assert.equal(canMeasure(analysisOf(), cross, "induction"), false);
  assert.equal(canMeasure(analysisOf({ reads: "image" }), self, "induction"), false);
  assert.equal(canMeasure(analysisOf({ max_tokens: 5 }), self, "induction"), false);
  assert.equal(canMeasure(analysisOf({}, "tensors-1"), self, "induction"), false);
});

test("what is written straight into a logit can be had of decoders, gradients of every model that ran here", () => {
  const fitting = (/** @type {object} */ model, /** @type {string} */ id = "a", /** @type {any} */ part = self) =>
    GROUPS.filter((group) => group.fits(analysisOf(model, id), part)).map(({ name }) => name);
  assert.deepEqual(fitting({ kind: "decoder" }), ["random", "direct-effect", "attribution"]);
  assert.deepEqual(fitting({}), ["random", "attribution"]);
  assert.deepEqual(fitting({ kind: "encoder_decoder" }, "a", cross), ["attribution"]);
  assert.deepEqual(fitting({ kind: "decoder" }, "tensors-1"), []);
});

test("an output's measures are of its place and of the tokens asked about", () => {
  const [, , gradients] = GROUPS;
  const tokens = [{ index: 0 }, { index: 1 }];
  const analysis = { ...analysisOf({ kind: "decoder" }), predictions: [], tokens };
  const of = (/** @type {object} */ value) =>
    gradients.of(
      /** @type {any} */ ({
        analysis,
        part: self,
        value: { query: 1, output: null, answer: null, against: null, ...value },
      }),
    );
  assert.equal(of({}), of({ query: 1 }));
  assert.equal(new Set([{}, { query: 0 }, { answer: 3 }, { against: 3 }].map(of)).size, 4);
});

test("they are wanted by the name of their group, or by that of one of them", () => {
  const shown = (/** @type {object} */ wish) => groupsShown(analysisOf(), self, { ...NOTHING, ...wish });
  assert.deepEqual(shown({}), []);
  for (const wish of [
    { measures: "random" },
    { measures: "other_random" },
    { metric: "induction" },
    { order: "-duplicate_token" },
    { limits: "entropy~0~1__previous_token_random~~0.5" },
  ]) {
    assert.deepEqual(shown(wish), ["random"], JSON.stringify(wish));
  }
  assert.deepEqual(shown({ metric: "entropy", order: "-entropy", limits: "entropy~0~1" }), []);
});

test("asking adds the group once; leaving takes out all that names it, and nothing else", () => {
  assert.deepEqual(wanting(NOTHING, random), { measures: "random" });
  assert.deepEqual(wanting({ ...NOTHING, measures: "other_random" }, random), { measures: "other_random" });
  const wish = {
    measures: "other_random",
    metric: "induction",
    order: "-induction",
    limits: "entropy~0~1__induction~0~",
  };
  assert.deepEqual(leaving(wish, random), {
    measures: "other",
    metric: "",
    sorted: false,
    order: "",
    limits: "entropy~0~1",
  });
  const others = { measures: "", metric: "entropy", order: "-entropy", limits: "entropy~0~1" };
  assert.deepEqual(leaving(others, random), { measures: "", limits: "entropy~0~1" });
});
