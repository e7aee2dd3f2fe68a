import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MOST_HEADS,
  formatHeads,
  formatLimits,
  keptHeads,
  listHeads,
  parseHeads,
  parseLimits,
  toggleHead,
} from "../../../../static/js/explorer/state/head_list.js";

const PART = { layers: 3, heads: 12 };
/** Entropy grows with the head and shrinks with the layer. */
const METRICS = {
  entropy: Array.from({ length: 3 }, (_, layer) => Array.from({ length: 12 }, (_, head) => head - layer / 2)),
  same_token: Array.from({ length: 3 }, () => Array(12).fill(0.25)),
};
const ALL = { metrics: METRICS, ...PART, order: "", find: "", limits: {}, numbering: /** @type {0 | 1} */ (0) };
const names = (/** @type {Partial<typeof ALL> & {limits?: any}} */ wanted) =>
  formatHeads(listHeads({ ...ALL, ...wanted }));

test("heads survive the URL; those that are not there, and nonsense, are left out", () => {
  const heads = [
    { layer: 2, head: 11 },
    { layer: 0, head: 3 },
  ];
  assert.deepEqual(parseHeads(formatHeads(heads), PART), heads);
  assert.deepEqual(parseHeads("2.11_9.1_2.12_x_0.3_2.11_-1.0", PART), heads);
  assert.deepEqual(parseHeads("", PART), []);
  const many = Array.from({ length: 36 }, (_, index) => `${Math.floor(index / 12)}.${index % 12}`).join("_");
  assert.equal(parseHeads(many, PART).length, MOST_HEADS);
});

test("a head goes in and out", () => {
  const one = { layer: 1, head: 1 };
  const other = { layer: 1, head: 2 };
  assert.deepEqual(toggleHead([one], other), [one, other]);
  assert.deepEqual(toggleHead([one, other], { layer: 1, head: 1 }), [other]);
});

test("limits survive the URL, open ends included", () => {
  const limits = /** @type {Record<string, [number, number]>} */ ({
    entropy: [0.5, Infinity],
    same_token: [-Infinity, 0.1],
  });
  assert.equal(formatLimits(limits), "entropy~0.5~__same_token~~0.1");
  assert.deepEqual(parseLimits(formatLimits(limits)), limits);
  assert.equal(formatLimits({ entropy: [-Infinity, Infinity] }), "");
  assert.deepEqual(parseLimits("entropy~a~b__nonsense"), {});
});

test("a number finds a layer, two find a head, words find a name", () => {
  assert.equal(listHeads({ ...ALL, find: "1" }).length, 12);
  assert.equal(names({ find: "1.1" }), "1.1_1.10_1.11");
  assert.equal(names({ find: " 2.3 ", numbering: 1 }), "1.2");
  assert.equal(listHeads({ ...ALL, find: "L1" }).length, 12);
  assert.equal(names({ find: "l1 h1" }), "1.1_1.10_1.11");
  assert.equal(listHeads({ ...ALL, find: "layer 2" }).length, 12);
  assert.equal(names({ find: "nothing like it" }), "");
  /** @type {{find: string, limits: string, numbering: 0}} */
  const nothing = { find: " ", limits: "", numbering: 0 };
  assert.equal(keptHeads({ metrics: METRICS, ...PART }, nothing), null);
  assert.deepEqual([...(keptHeads({ metrics: METRICS, ...PART }, { ...nothing, find: "1.2" }) ?? [])], ["1.2"]);
});

test("limits let through what lies within them, ends included", () => {
  assert.equal(names({ limits: { entropy: [10.5, 11] } }), "0.11_1.11");
  assert.equal(names({ limits: { same_token: [0.3, Infinity] } }), "");
  assert.equal(listHeads({ ...ALL, limits: { unknown: [5, 6] } }).length, 36);
});

test("order by a metric, either way, keeps the model's order among equals", () => {
  const first = (/** @type {string} */ order) => names({ order }).split("_").slice(0, 3);
  assert.deepEqual(first("entropy"), ["2.0", "1.0", "0.0"]);
  assert.deepEqual(first("-entropy"), ["0.11", "1.11", "0.10"]);
  assert.deepEqual(first("-same_token"), ["0.0", "0.1", "0.2"]);
  assert.deepEqual(first("-"), ["2.11", "2.10", "2.9"]);
  assert.deepEqual(first("gone"), ["0.0", "0.1", "0.2"]);
});
