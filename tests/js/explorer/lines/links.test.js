import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_HEADS } from "../../../../static/js/explorer/state/head_list.js";
import { linksOf, meanWeights, seriesOf, strongest, topKeys } from "../../../../static/js/explorer/lines/links.js";

test("as few keys as reach the share, largest first", () => {
  const row = Float32Array.from([0.1, 0.4, 0.05, 0.25, 0.2]);
  assert.deepEqual(topKeys(row, 0.4), [1]);
  assert.deepEqual(topKeys(row, 0.5), [1, 3]);
  assert.deepEqual(topKeys(row, 0.85), [1, 3, 4]);
  assert.deepEqual(topKeys(row, 1), [1, 3, 4, 0, 2]);
  assert.deepEqual(topKeys(new Float32Array(4), 0.7), []);
});

test("the share is of what is shown, so a row with hidden columns keeps its lines", () => {
  assert.deepEqual(topKeys(Float32Array.from([0.01, 0.03]), 0.7), [1]);
});

test("long rows leave out what nobody would see", () => {
  const row = new Float32Array(600).fill(0.0005);
  row[77] = 0.7;
  assert.deepEqual(topKeys(row, 1), [77]);
});

test("of too many lines the strongest stay", () => {
  const links = [0.2, 0.9, 0.4, 0.9, 0.1].map((weight, key) => ({ head: 0, query: 0, key, weight }));
  assert.deepEqual(
    strongest(links, 3).map(({ key }) => key),
    [1, 2, 3],
  );
  assert.equal(strongest(links, 9), links);
});

test("as many heads as may be chosen look different", () => {
  const looks = new Set(Array.from({ length: MOST_HEADS }, (_, index) => JSON.stringify(seriesOf(index))));
  assert.equal(looks.size, MOST_HEADS);
  assert.ok(MOST_HEADS >= 24);
});

/** @param {number[][]} rows */
const head = (rows) => ({
  row: (/** @type {number} */ query) => (rows[query] ? Float32Array.from(rows[query]) : null),
});
const HEADS = [
  head([
    [1, 0],
    [0.25, 0.75],
  ]),
  head([
    [0.5, 0.5],
    [0.75, 0.25],
  ]),
];

test("lines of all heads, the strongest last; rows that are not there yet have none", () => {
  const { links, count } = linksOf(HEADS, [0, 1, 2], 0.6);
  assert.deepEqual(
    links.map(({ head, query, key, weight }) => [head, query, key, weight]),
    [
      [1, 0, 0, 0.5],
      [1, 0, 1, 0.5],
      [0, 1, 1, 0.75],
      [1, 1, 0, 0.75],
      [0, 0, 0, 1],
    ],
  );
  assert.equal(count, 5);
});

test("a token's weights are the mean over the heads, of its row or of its column", () => {
  const list = (/** @type {Float32Array | null} */ found) => found && [...found];
  assert.deepEqual(list(meanWeights(HEADS, 2, { side: "query", place: 0 })), [0.75, 0.25]);
  assert.deepEqual(list(meanWeights(HEADS, 2, { side: "key", place: 1 })), [0.25, 0.5]);
  assert.deepEqual(list(meanWeights([HEADS[0]], 2, { side: "key", place: 0 })), [1, 0.25]);
  assert.equal(meanWeights(HEADS, 2, { side: "query", place: 7 }), null);
});
