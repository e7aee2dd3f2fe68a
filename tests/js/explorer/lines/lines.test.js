import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "../../../../static/js/explorer/lines/lines.js";

/** @typedef {import("../../../../static/js/explorer/lines/lines.js").LinesData} LinesData */

const [QUERIES, KEYS] = [["a"], ["b", "c"]];
const WEIGHTS = Float32Array.of(0.25, 0.75);

/** @param {Partial<LinesData>} marks */
function columns(marks) {
  const data = /** @type {LinesData} */ (
    /** @type {unknown} */ ({
      queries: QUERIES,
      keys: KEYS,
      series: [],
      numbering: 1,
      locked: null,
      pointed: null,
      ...marks,
    })
  );
  /** @type {unknown[]} */
  const asked = [];
  const weightsOf = (/** @type {unknown} */ _, /** @type {number} */ count, /** @type {unknown} */ token) => {
    asked.push([count, token]);
    return WEIGHTS;
  };
  return { query: columnOf(data, "query", weightsOf), key: columnOf(data, "key", weightsOf), asked };
}

test("the weights of a token stand beside the tokens of the other side", () => {
  const locked = /** @type {const} */ ({ side: "query", place: 0 });
  const { query, key, asked } = columns({ locked });
  assert.deepEqual(query, { tokens: QUERIES, numbering: 1, locked: 0, pointed: null, shares: null });
  assert.deepEqual(key, { tokens: KEYS, numbering: 1, locked: null, pointed: null, shares: WEIGHTS });
  assert.deepEqual(asked, [[1, locked]]);
});

test("a token pointed at goes before the one that is locked", () => {
  const { query, key } = columns({ locked: { side: "query", place: 0 }, pointed: { side: "key", place: 1 } });
  assert.deepEqual([query.locked, query.shares], [0, WEIGHTS]);
  assert.deepEqual([key.pointed, key.shares], [1, null]);
  const none = columns({});
  assert.deepEqual([none.query.shares, none.key.shares, none.asked], [null, null, []]);
});
