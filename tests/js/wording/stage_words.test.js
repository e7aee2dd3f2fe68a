import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange, condense } from "../../../static/js/explorer/state/arrangement.js";
import { hasChange, toggled } from "../../../static/js/explorer/state/changes/changes.js";
import { axesVerb, rowSums, rowUnit, rowVerb } from "../../../static/js/wording/stage_words.js";
import { STAGES } from "../../../static/js/explorer/state/view_state.js";
import { rank } from "../../../static/js/explorer/widgets/reads.js";

/** @typedef {import("../../../static/js/base/decode.js").Matrix} Matrix */

/** @type {(values: number[][], more?: Partial<Matrix>) => Matrix} */
const matrix = (values, more = {}) => ({
  values: Float32Array.from(values.flat()),
  height: values.length,
  width: values[0].length,
  rows: [0, values.length],
  cols: [0, values[0].length],
  cellRows: 1,
  cellCols: 1,
  ...more,
});

const plain = { keys: 3, isHiding: false, isGiven: false };

test("only weights are read with; scores compare and lengths arrive", () => {
  /** @type {[string, string, string][]} */
  const said = STAGES.map((stage) => [stage, rowVerb(stage), rowUnit(stage)]);
  assert.deepEqual(said, [
    ["raw_scores", "scores highest with", "raw scores"],
    ["scaled_scores", "scores highest with", "scaled scores"],
    ["masked_scores", "scores highest with", "masked scores"],
    ["weights", "attends to", ""],
    ["value_weighted", "receives from", "lengths α ‖v‖"],
    ["norm_weighted", "receives from", "lengths ‖α f(x)‖"],
  ]);
  assert.equal(axesVerb("raw_scores"), "with");
  assert.equal(axesVerb("attribution"), "with");
});

test("what rows add up to is taken from the numbers shown", () => {
  const whole = matrix([
    [0.5, 0.25, 0.25],
    [0.1, 0.7, 0.2],
  ]);
  assert.equal(rowSums("weights", whole, plain), "every row adds up to 1");
  const tokens = [0, 1, 2].map((index) => ({
    index,
    id: index,
    text: "a",
    start: null,
    end: null,
    segment: 0,
    special: index === 0,
  }));
  const [all, shown] = [arrange(tokens.slice(0, 2), false, false), arrange(tokens, true, false)];
  const hidden = condense(whole, all, shown, false);
  const hiding = { ...plain, keys: 2, isHiding: true };
  assert.equal(rowSums("weights", hidden, hiding), "rows add up to 0.50 … 0.90: hidden columns keep their share");
  const renormalised = condense(whole, all, shown, true);
  assert.equal(rowSums("weights", renormalised, { ...hiding, isHiding: false }), "every row adds up to 1");
  assert.equal(rowSums("weights", matrix([[0, 0, 0]]), plain), "every row adds up to 0.00", "all of it cut");
  assert.equal(rowSums("weights", matrix([[1, 1, 1]]), { ...plain, isGiven: true }), "every row adds up to 3.00");
  const sink = { ...plain, hasSink: true };
  const words = "rows add up to 0.50 … 0.90: the learned sink takes the rest";
  assert.equal(rowSums("weights", matrix([[0.5], [0.9]]), { ...sink, keys: 1 }), words);
  assert.match(rowSums("weights", whole, { ...sink, keys: 9 }), /less than 1 over all keys: the learned sink/);
});

test("of a part of the keys it is said what all of them add up to; of other stages nothing", () => {
  const part = matrix([[0.5, 0.25]], { cols: [1, 3] });
  assert.equal(rowSums("weights", part, plain), "every row adds up to 1 over all keys");
  assert.equal(rowSums("weights", part, { ...plain, isGiven: true }), "");
  const pooled = matrix([[0.5, 0.25, 0.25]], { cellCols: 2, cols: [0, 6] });
  assert.equal(rowSums("weights", pooled, { ...plain, keys: 6 }), "every row adds up to 1 over all keys");
  for (const stage of STAGES) if (stage !== "weights") assert.equal(rowSums(stage, part, plain), "");
  assert.equal(rowSums("weights", null, plain), "");
});

test("scores are ranked with their signs, what is masked apart", () => {
  const { first, rest, others, masked } = rank(Float32Array.of(-3, 2, -Infinity, -1, 0), 2, -Infinity);
  assert.deepEqual([first, rest.most, others, masked], [[1, 4], -1, 2, 1]);
  assert.deepEqual(rank(Float32Array.of(-Infinity), 2, -Infinity).first, []);
});

test("several heads are switched off together, and back on together", () => {
  const change = (/** @type {number} */ head) =>
    /** @type {import("../../../static/js/explorer/state/changes/changes.js").Change} */ ({
      kind: "off",
      part: "",
      layer: 0,
      head,
    });
  const all = [change(0), change(1)];
  const half = toggled([change(1)], all);
  assert.ok(all.every((one) => hasChange(half, one)) && half.length === 2);
  assert.deepEqual(toggled([...half, change(5)], all), [change(5)]);
});
