import assert from "node:assert/strict";
import { test } from "node:test";

import { startsOf } from "../../../../static/js/base/fields.js";
import { exercises } from "../../../../static/js/concepts/reach/exercises.js";
import { arrived, identity, namedMask, product } from "../../../../static/js/concepts/reach/masks.js";
import { reachNumbers } from "../../../../static/js/concepts/reach/numbers.js";
import { coneOf, routeOf } from "../../../../static/js/concepts/reach/routes.js";
import { fields, masksOf, request, settle, withCell } from "../../../../static/js/concepts/reach/state.js";
import { countsAfter, pairSentence, verdict } from "../../../../static/js/concepts/reach/words.js";

const HOLE = { kind: "causal", tokens: 6, layers: 3, drawn: [[1, 4]] };

/** The page's data in a state. @param {Record<string, unknown>} patch @returns {any} */
function data(patch) {
  const state = settle({ ...startsOf(fields, /** @type {any} */ (patch)), lang: "en", theme: "", step: 4 });
  return { state, answer: reachNumbers(request(state)), others: [] };
}

test("boolean powers are those counted by hand", () => {
  const window = namedMask("window", 4, 2);
  assert.deepEqual(product(window, identity(4)), window);
  const far = arrived([window, window, window]).map((matrix) => matrix[3].filter(Boolean).length);
  assert.deepEqual(far, [2, 3, 4]);
});

test("a way is there exactly where it is measured, and each of its moves is open", () => {
  for (const mixing of ["none", "causal_convolution", "convolution", "norm_over_time"]) {
    const { state, answer } = data({ ...HOLE, mixing, only: "1" });
    const masks = masksOf(state);
    for (const layer of [0, 1, 2])
      for (const query of [0, 1, 2, 3, 4, 5])
        for (const key of [0, 1, 2, 3, 4, 5]) {
          const route = routeOf(masks, answer.mixed, { query, key, layer });
          assert.equal(route !== null, answer.reached[layer][query][key], `${mixing} ${layer} ${query} ${key}`);
          assert.equal(coneOf(masks, answer.mixed, { query, layer })[0][key], route !== null);
          let at = key;
          for (const move of route ?? []) {
            assert.equal(move.from, at);
            assert.ok((move.isAttention ? masks[move.layer] : answer.mixed)[move.to][move.from]);
            at = move.to;
          }
          if (route) assert.equal(at, query);
        }
  }
});

test("what is said of a pair is its way", () => {
  const hole = data(HOLE);
  const said = (/** @type {any} */ of, /** @type {number[]} */ [query, key, layer]) =>
    pairSentence(of, { query, key, layer });
  assert.equal(
    said(hole, [2, 3, 2]),
    "Position 2 is reached by position 3: 3 → 4 in layer 0, 4 → 1 in layer 1, 1 → 2 in layer 2. It was not intended.",
  );
  assert.equal(said(hole, [2, 3, 1]), "Position 2 is not reached by position 3 after layer 1.");
  assert.equal(said(hole, [2, 2, 1]), "Position 2 keeps what it has: the residual stream carries it on.");
  const beside = data({ ...HOLE, drawn: [], mixing: "convolution" });
  assert.equal(
    said(beside, [1, 2, 0]),
    "Position 1 is reached by position 2: 2 → 1 beside the attention of layer 0. No mask allows it.",
  );
});

test("the verdict tells a hole from what no mask allows", () => {
  const counts = (/** @type {any} */ of) => [0, 1, 2].map((layer) => countsAfter(of.answer, layer));
  assert.deepEqual(
    counts(data(HOLE)).map(({ leak, beside }) => [leak, beside]),
    [
      [1, 0],
      [5, 0],
      [6, 0],
    ],
  );
  assert.match(verdict(data(HOLE), 2), /27 pairs reached, just those of the mask's power, 6 of them through the hole/);
  const beside = data({ ...HOLE, drawn: [], mixing: "convolution" });
  assert.deepEqual(
    counts(beside).map(({ leak, beside: more }) => [leak, more]),
    [
      [0, 5],
      [0, 9],
      [0, 12],
    ],
  );
  assert.match(
    verdict(beside, 0),
    /26 pairs reached, 5 of them allowed by no mask. The mask is right, the model is not/,
  );
  assert.match(verdict(data({}), 3), /just those of the mask's power\.$/);
});

test("drawing a cell twice leaves the mask as it was named", () => {
  const { state } = data({ ...HOLE, drawn: [] });
  const once = { ...state, drawn: withCell(state, { row: 1, column: 4 }, true) };
  assert.deepEqual(once.drawn, [[1, 4]]);
  assert.equal(masksOf(once)[2][1][4], true);
  assert.deepEqual(withCell(once, { row: 1, column: 4 }, false), []);
  assert.deepEqual(
    masksOf({ ...once, only: "1" }).map((mask) => mask[1][4]),
    [false, true, false],
  );
  assert.deepEqual(settle({ ...state, drawn: [[1, 4], [1, 4], [2]] }).drawn, [[1, 4]]);
});

test("the exercises' answers are the measured ones", () => {
  const served = exercises().filter(({ call }) => call);
  assert.equal(served.length, 5);
  for (const { id, call, pick, expected, slips } of served) {
    assert.deepEqual(pick?.(reachNumbers(/** @type {any} */ (call?.body))), expected, id);
    assert.equal(new Set(slips.map(({ values }) => values.join())).size, 3, id);
  }
  assert.deepEqual(
    exercises().map(({ expected }) => expected),
    [[8], [4], [5], [9], [3], [12, 63]],
  );
});
