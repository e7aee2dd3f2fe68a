import assert from "node:assert/strict";
import { test } from "node:test";
import { obstacleTo, untraceable } from "../../../../static/js/explorer/flow/obstacles.js";

/** @typedef {import("../../../../static/js/explorer/widgets/panel.js").Scene} Scene */

/** @param {object} [further] */
const analysisOf = (further = {}) =>
  /** @type {Scene["analysis"]} */ (
    /** @type {unknown} */ ({ id: "a1", model: { title: "GPT-2", support: "full" }, tokens: Array(12), ...further })
  );
const partOf = (/** @type {boolean} */ causal) => /** @type {Scene["part"]} */ ({ causal });

test("a decoder's output is reached by the tokens up to it, an encoder's by all", () => {
  const ask = (/** @type {boolean} */ causal, /** @type {number} */ position) =>
    obstacleTo(10, analysisOf(), partOf(causal), position);
  assert.equal(ask(true, 9), "");
  assert.match(ask(true, 10), /^11 tokens can reach this output, and the graph is computed for 10/);
  assert.match(ask(false, 0), /^12 tokens/);
});

test("where no tokens may reach an output, the model is named: its two streams, or its blocks", () => {
  assert.match(obstacleTo(0, analysisOf(), partOf(true), 0), /^The blocks of GPT-2 cannot be taken apart here/);
  const two = analysisOf({ target_tokens: [] });
  assert.match(obstacleTo(0, two, partOf(true), 0), /^GPT-2 has two residual streams/);
});

test("tensors and weights alone have no residual stream", () => {
  assert.equal(untraceable(analysisOf()), "");
  assert.match(untraceable(analysisOf({ model: { support: "weights_only" } })), /^Weights only/);
});
