import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { circleNumbers, trailOf, turnOf } from "../../../../static/js/concepts/circle/numbers.js";
import { codec, startsOf } from "../../../../static/js/base/fields.js";
import { dependents, fields, request as requestOf, settle } from "../../../../static/js/concepts/circle/state.js";

const { read, write } = codec(fields, settle);
const DEFAULTS = read("");
const withKeys = (/** @type {CircleState} */ state, /** @type {number} */ count) => dependents.keys(count, state);
const withQueries = (/** @type {CircleState} */ state, /** @type {number} */ count) => dependents.queries(count, state);

/** @typedef {import("../../../../static/js/concepts/circle/state.js").CircleState} CircleState */

/** @type {{search: string, request: object, answer: Record<string, any>}[]} */
const GOLDEN = JSON.parse(readFileSync(new URL("circle.golden.json", import.meta.url), "utf8"));

/**
 * @param {number[][]} ours
 * @param {number[][]} theirs
 * @param {number} bound
 */
function isClose(ours, theirs, bound) {
  assert.equal(ours.length, theirs.length);
  ours.forEach((row, index) => {
    assert.equal(row.length, theirs[index].length);
    row.forEach((value, at) =>
      assert.ok(Math.abs(value - theirs[index][at]) <= bound, `${value} ${theirs[index][at]}`),
    );
  });
}

for (const { search, request, answer } of GOLDEN) {
  test(`the page computes what the API answers: ${search}`, () => {
    const state = read(search);
    assert.deepEqual(requestOf(state), request);
    const numbers = circleNumbers(state, answer.additive_weights);
    for (const name of /** @type {const} */ (["queries", "keys", "values", "scores", "weights", "outputs"])) {
      isClose(numbers[name], answer[name], 1e-12);
    }
    isClose(numbers.scaledScores, answer.scaled_scores, 1e-10);
    isClose([numbers.entropy], [answer.entropy], 1e-12);
    assert.ok(Math.abs(numbers.scale - answer.scale) <= 1e-12 * answer.scale);
  });
}

test("every answer that is recorded is of another kind", () => {
  const mechanisms = new Set(GOLDEN.map(({ search }) => read(search).mechanism));
  assert.deepEqual([...mechanisms].sort(), ["additive", "cosine", "dot", "scaled_dot"]);
  assert.ok(GOLDEN.some(({ search }) => read(search).rope));
});

test("a state survives the URL", () => {
  const state = {
    ...DEFAULTS,
    ...withQueries(DEFAULTS, 4),
    queryLengths: [1, 0.25, 3, 1],
    keys: 3,
    keyAngles: [0.1, 33.3, 359.9],
    keyLengths: [1, 2, 10],
    mechanism: /** @type {const} */ ("additive"),
    temperature: 0.035,
    seed: 7,
    rope: true,
    theta: 0.25,
    queryPosition: 3.5,
    shift: 12,
    query: 3,
    key: 2,
    trail: true,
    step: 2,
    lang: "ja",
    theme: /** @type {const} */ ("night"),
  };
  assert.deepEqual(read(`?${write(state)}`), state);
  assert.deepEqual({ ...DEFAULTS, ...startsOf(fields) }, DEFAULTS);
});

test("links of before are read as they were meant", () => {
  const old =
    "?q=45,0&n=3&k=10,130,250&lengths=1,2,1&q_lengths=1,0.5&mechanism=additive&t=0.5&seed=3" +
    "&theta=0.5&position=4&shift=0&query=1&key=2&trail=1&step=2";
  const expected = {
    queries: 2,
    queryAngles: [45, 0],
    queryLengths: [1, 0.5],
    query: 1,
    keys: 3,
    keyAngles: [10, 130, 250],
    keyLengths: [1, 2, 1],
    key: 2,
    mechanism: "additive",
    temperature: 0.5,
    seed: 3,
    rope: true,
    trail: true,
    step: 2,
  };
  assert.deepEqual(read(old), { ...DEFAULTS, ...expected });
  assert.equal(read("?q=45&n=10").rope, false);
  assert.equal(String(write(read("?q=10&n=5&mechanism=dot&t=1&query=0&key=1"))), "q=10&n=5");
});

test("what a URL cannot mean is left at its default", () => {
  const state = read("?q=45,x&n=99&k=1,2&lengths=1&mechanism=rbf&t=-1&query=9&key=99&step=177&theme=pink&seed=-1");
  assert.deepEqual(state, { ...DEFAULTS, query: 0, key: DEFAULTS.key });
  assert.equal(read("?q=1,2&query=3").query, 1);
  assert.equal(read("?n=2&key=10").key, 1);
  assert.equal(read("?q=1,2,3,4,5").queryAngles.length, 1);
});

test("keys and queries stay within their bounds", () => {
  for (const keys of ["1", "25", "2.5"]) assert.equal(fields.keys.parse(keys), null);
  for (const queries of ["0", "5"]) assert.equal(fields.queries.parse(queries), null);
  assert.equal(withKeys(DEFAULTS, 24).keyAngles.length, 24);
  assert.equal(withQueries(DEFAULTS, 4).queryAngles.length, 4);
  const longer = { ...DEFAULTS, keyLengths: DEFAULTS.keyLengths.map((one, index) => (index === 1 ? 5 : one)), key: 9 };
  assert.deepEqual(withKeys(longer, 3), {
    keys: 3,
    keyAngles: [0, 120, 240],
    keyLengths: [1, 5, 1],
    key: 2,
  });
});

test("the curriculum's figures", () => {
  const plain = circleNumbers(DEFAULTS);
  isClose(plain.outputs, [[0.31564538, 0.31564537]], 1e-8);
  assert.equal(circleNumbers(read("?q=45_0_90")).weights.length, 3);
  const gains = circleNumbers(read("?lengths=1_1_1_5_1_1_1_1_1_1"));
  assert.equal(gains.weights[0][3].toFixed(3), "0.466");
  isClose(gains.outputs, [[-0.504, 2.337]], 5e-4);
  assert.equal(plain.weights[0][4].toFixed(4), "0.0675");
  assert.equal(circleNumbers(read("?lengths=1_1_1_1_5_1_1_1_1_1")).weights[0][4].toFixed(4), "0.0373");
  const cosine = circleNumbers(read("?lengths=1_1_1_5_1_1_1_1_1_1&mechanism=cosine"));
  isClose(cosine.weights, plain.weights, 1e-14);
  assert.ok(circleNumbers(read("?t=0.02")).weights[0][1] > 0.99);
  const hot = circleNumbers(read("?t=50"));
  assert.ok(hot.weights[0].every((weight) => Math.abs(weight - 0.1) < 0.003));
  assert.ok(Math.abs(hot.entropy[0] - Math.log(10)) < 1e-3);
});

test("positions turn the picture and leave the weights", () => {
  const rope = { ...DEFAULTS, rope: true };
  const here = circleNumbers(rope);
  const there = circleNumbers({ ...rope, shift: 37 });
  isClose(there.weights, here.weights, 1e-13);
  isClose(there.outputs, here.outputs, 1e-13);
  assert.ok(Math.abs(there.keys[0][0] - here.keys[0][0]) > 0.01);
  const alone = circleNumbers({ ...rope, queryPosition: 9 });
  assert.ok(alone.weights[0].every((weight, key) => Math.abs(weight - here.weights[0][key]) > 1e-3));
  assert.equal(turnOf(DEFAULTS, "query", 0), 0);
  assert.ok(Math.abs(turnOf({ ...rope, shift: 2 }, "key", 3) - (0.5 * 5 * 180) / Math.PI) < 1e-12);
});

test("the trail goes through the output of every angle", () => {
  const trail = trailOf(DEFAULTS, circleNumbers(DEFAULTS));
  assert.equal(trail.length, 120);
  isClose([trail[15]], circleNumbers(DEFAULTS).outputs, 1e-14); // 45°
  isClose([trail[60]], circleNumbers({ ...DEFAULTS, queryAngles: [180] }).outputs, 1e-14);
});
