import assert from "node:assert/strict";
import { test } from "node:test";

import {
  averagesOf,
  effectsOf,
  elsewhereWords,
  outputWords,
  undefinedWords,
  withEffects,
} from "../../../../static/js/explorer/prompts/measures.js";

const info = (/** @type {string} */ title) => ({ title, definition: "d", source: "s", unit: "u" });
const summary = (/** @type {number} */ value, count = 3) => ({
  mean: [[value, 2 * value]],
  deviation: [[0.1, 0.2]],
  least: [[0, 0]],
  most: [[1, 1]],
  count,
});
const MEASURES = {
  id: "i",
  part: "cross",
  measures: { entropy: summary(0.5), induction: summary(0.25, 2) },
  metric_info: { entropy: info("Entropy"), induction: info("Induction"), mean_distance: info("Mean distance") },
  undefined: { mean_distance: "no distances here" },
};

test("the table and the scatter take means, spreads, and in how many prompts a measure is defined", () => {
  const { part, deviations, info: told } = averagesOf(MEASURES, 3);
  assert.deepEqual(part, { layers: 1, heads: 2, metrics: { entropy: [[0.5, 1]], induction: [[0.25, 0.5]] } });
  assert.deepEqual(deviations.induction, [[0.1, 0.2]]);
  assert.equal(told.entropy.remark, "");
  assert.equal(told.induction.remark, "Defined in 2 of 3 prompts.");
});

test("an effect joins the measures that are there", () => {
  const effects = { ...MEASURES, measures: { ...MEASURES.measures, direct_effect: summary(-1) } };
  assert.equal(withEffects(MEASURES, null), MEASURES);
  assert.deepEqual(Object.keys(withEffects(MEASURES, effects).measures), ["entropy", "induction", "direct_effect"]);
});

test("what is not defined is said with its reason, and what effects are on", () => {
  assert.equal(undefinedWords(MEASURES), "Not defined here: Mean distance (no distances here).");
  assert.equal(undefinedWords({ ...MEASURES, undefined: {} }), "");
  assert.equal(outputWords(true, true), "On the expected token");
  assert.equal(outputWords(true, false), "On the model's output");
  assert.equal(outputWords(false, true), "On the most probable next token");
});

test("effects and random tokens are offered by what the model is", () => {
  const modelOf = (/** @type {"decoder" | "encoder"} */ kind) => ({ id: "m", kind, reads: "text", max_tokens: 512 });
  const analysisOf = (/** @type {"decoder" | "encoder"} */ kind) =>
    /** @type {import("../../../../static/js/api/types.js").Analysis} */ (
      /** @type {unknown} */ ({ id: "a", model: modelOf(kind), image: null })
    );
  const part = /** @type {import("../../../../static/js/api/types.js").Part} */ (
    /** @type {unknown} */ ({ name: "decoder", query_side: "source", key_side: "source" })
  );
  const names = (/** @type {"decoder" | "encoder"} */ kind) => effectsOf(analysisOf(kind), part).map(([name]) => name);
  assert.deepEqual([names("decoder"), names("encoder")], [["direct_effect", "attribution"], ["attribution"]]);
  assert.match(elsewhereWords(analysisOf("decoder"), part), /^Scores on random tokens/);
  assert.equal(elsewhereWords(analysisOf("decoder"), { ...part, key_side: "target" }), "");
});
