import assert from "node:assert/strict";
import { test } from "node:test";

import { shownAverages } from "../../../../static/js/explorer/prompts/averages.js";

/** @typedef {Parameters<typeof shownAverages>} Given */

const info = (/** @type {string} */ title) => ({ title, definition: `${title}.`, source: "s", unit: "u" });
const summary = (/** @type {number} */ count) => ({
  mean: [[0.5, 1]],
  deviation: [[0.1, 0.2]],
  least: [[0, 0]],
  most: [[1, 1]],
  count,
});
const MEASURES = {
  id: "i",
  part: "decoder",
  measures: { entropy: summary(3), direct_effect: summary(2) },
  metric_info: { entropy: info("Entropy"), direct_effect: info("Direct effect") },
  undefined: {},
};

/** @param {object} [value] @param {object} [found] */
function shownOf(value = {}, found = {}) {
  const scene = {
    value: {
      layer: 4,
      head: 1,
      numbering: 0,
      spread: false,
      align: "end",
      promptCell: "",
      promptMeasure: "",
      ...value,
    },
    part: { name: "encoder" },
  };
  const averages = {
    prompts: { parts: ["decoder"], aligns: ["start", "end"], prompts: [{}, {}, {}] },
    measures: MEASURES,
    found: { weights: null, cell: null, cellValues: null, values: null, ...found },
    isComing: false,
    output: "On the expected token",
  };
  const [first, second] = /** @type {Given} */ (/** @type {unknown} */ ([scene, averages]));
  return shownAverages(first, second);
}

test("head, part, rule and measure are limited to what the averages have", () => {
  const { at, part, align, measure, code, title } = shownOf();
  assert.deepEqual(at, { layer: 0, head: 1 }, "one layer");
  assert.deepEqual([part, align, measure, title], ["decoder", "end", "entropy", "Entropy"]);
  assert.equal(code, "L0 H1");
});

test("a measure is defined in words, with what an effect is on and the prompts that have it", () => {
  assert.equal(shownOf().definition, "Entropy.");
  const { definition, values } = shownOf(
    { promptMeasure: "direct_effect" },
    { values: { values: { direct_effect: [1, null, 2] } } },
  );
  assert.equal(definition, "Direct effect. On the expected token. Defined in 2 of 3 prompts.");
  assert.deepEqual(values, [1, null, 2]);
});

test("the weight of a cell is a measure while the weights have the cell", () => {
  const position = (/** @type {string} */ text) => ({
    offset: 0,
    slot: null,
    texts: [text],
    variants: 1,
    special: false,
  });
  const weights = { positions: [position("a"), position("b")], key_positions: [position("a"), position("b")] };
  const cell = { ...summary(3), above: [[0, 3]], values: [] };
  const cellValues = [0.1, 0.2, 0.3];
  const asked = { promptMeasure: "cell", promptCell: "1.0" };
  const shown = shownOf(asked, { weights, cell, cellValues });
  assert.deepEqual([shown.measure, shown.summary, shown.above], ["cell", cell, cell.above]);
  assert.deepEqual(shown.values, cellValues);
  assert.equal(shown.title, shown.cellTitle);
  assert.equal(shownOf({ ...asked, promptCell: "2.0" }, { weights }).measure, "entropy", "no such cell");
});
