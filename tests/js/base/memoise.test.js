import assert from "node:assert/strict";
import { test } from "node:test";

import { blockRows, blocksOf, meanRows, rowsOf } from "../../../static/js/explorer/data/head_rows.js";
import { arrange } from "../../../static/js/explorer/state/arrangement.js";
import { madeOnce, remembering } from "../../../static/js/base/memoise.js";

test("the same arguments, lists of them included, give the same object", () => {
  const matrix = { values: [1], height: 1, width: 1 };
  const make = remembering((/** @type {unknown[]} */ ...args) => ({ args }));
  const first = make([matrix, null], { layer: 1, head: 2 }, "a");
  assert.equal(make([matrix, null], { layer: 1, head: 2 }, "a"), first);
  assert.notEqual(make([matrix, matrix], { layer: 1, head: 2 }, "a"), first);
  assert.notEqual(make([matrix, null], { layer: 1, head: 3 }, "a"), first);
  assert.notEqual(
    make([{ ...matrix }, null], { layer: 1, head: 3 }, "a"),
    make([matrix, null], { layer: 1, head: 3 }, "a"),
  );
});

test("blocks cover the rows in view, and are the same wherever the view begins", () => {
  assert.equal(blockRows({ query_tokens: 13, key_tokens: 13 }), 13);
  assert.equal(blockRows({ query_tokens: 16384, key_tokens: 16384 }), 8);
  assert.deepEqual(blocksOf([0, 13], 13, 13), [[0, 13]]);
  assert.deepEqual(blocksOf([30, 70], 32, 90), [
    [0, 32],
    [32, 64],
    [64, 90],
  ]);
});

test("rows are found in their blocks; what has not come is null", () => {
  const tokens = Array.from(
    { length: 4 },
    (_, index) => /** @type {any} */ ({ index, text: "x", special: index === 0, start: null }),
  );
  const plain = arrange(tokens, false, false);
  const block = {
    values: Float32Array.from({ length: 8 }, (_, cell) => cell),
    height: 2,
    width: 4,
    rows: [2, 4],
    cols: [0, 4],
    cellRows: 1,
    cellCols: 1,
  };
  const row = rowsOf([null, /** @type {any} */ (block)], plain, plain, false);
  assert.deepEqual([...(row(3) ?? [])], [4, 5, 6, 7]);
  assert.equal(row(1), null);
  const hidden = arrange(tokens, true, false);
  assert.deepEqual([...(rowsOf([/** @type {any} */ (block)], hidden, hidden, false)(1) ?? [])], [1, 2, 3]);
  const mean = meanRows([row, (place) => row(place)?.map(() => 1) ?? null]);
  assert.deepEqual([...(mean(2) ?? [])], [0.5, 1, 1.5, 2]);
  assert.equal(mean(0), null);
});

test("what is made of an object is made once for each", () => {
  let count = 0;
  const make = madeOnce((/** @type {{x: number}} */ { x }) => ({ x, nth: ++count }));
  const [one, other] = [{ x: 1 }, { x: 1 }];
  assert.deepEqual(
    [make(one), make(other), make(one)],
    [
      { x: 1, nth: 1 },
      { x: 1, nth: 2 },
      { x: 1, nth: 1 },
    ],
  );
});
