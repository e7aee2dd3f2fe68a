import assert from "node:assert/strict";
import { test } from "node:test";

import { drawing, inOrder } from "../../../../static/js/explorer/prompts/heads.js";

const at = { title: "", isSpread: false, layer: 0, head: 1, numbering: /** @type {const} */ (1) };
const summary = (/** @type {number[][]} */ mean) => ({
  mean,
  deviation: [[0.02, 0.01]],
  least: [[0, 0]],
  most: [[1, 1]],
  count: 2,
});

test("shares are coloured from 0, effects of both signs around 0, spreads from 0 again", () => {
  const shares = drawing({ ...at, summary: summary([[0.25, 0.5]]) });
  assert.deepEqual([shares.scale, shares.most, shares.digits, shares.columns], ["weight", 0.5, 2, ["1", "2"]]);
  const effects = summary([[-0.75, 0.5]]);
  const signed = drawing({ ...at, summary: effects });
  assert.deepEqual([signed.scale, signed.most], ["signed", 0.75]);
  const spread = drawing({ ...at, summary: effects, isSpread: true });
  assert.deepEqual([spread.scale, spread.most, spread.digits], ["weight", 0.02, 3]);
});

test("heads are listed by their weight at a cell, or by how far it is above what other queries give", () => {
  const heads = { summary: summary([[0.7, 0.1, 0.4]]), above: summary([[0.05, 0.02, 0.3]]) };
  const names = (/** @type {Parameters<typeof inOrder>[1]} */ order) => inOrder(heads, order).map(({ head }) => head);
  assert.deepEqual(names({ column: "mean", isDescending: true }), [0, 2, 1]);
  assert.deepEqual(names({ column: "above", isDescending: true }), [2, 0, 1]);
  assert.deepEqual(names({ column: "above", isDescending: false }), [1, 0, 2]);
  assert.deepEqual(names({ column: "head", isDescending: true }), [2, 1, 0]);
});
