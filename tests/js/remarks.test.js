import assert from "node:assert/strict";
import { test } from "node:test";

import { remarksOn, uniformEntropy } from "../../static/js/remarks.js";

/**
 * Codes of the remarks on the first head, where all heads have these metrics or `others` have theirs.
 * @param {Record<string, number>} values
 * @param {{causal?: boolean, others?: number}} [options]
 */
function codes(values, { causal = false, others } = {}) {
  const rows = (/** @type {string} */ name, /** @type {number} */ value) => {
    const rest = name === "entropy" && others !== undefined ? others : value;
    return [
      [value, rest],
      [rest, rest],
    ];
  };
  const metrics = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rows(name, value)]));
  return remarksOn({ metrics, causal, key_tokens: 13 }, { layer: 0, head: 0 }).map(({ code }) => code);
}

test("a map that says little is explained", () => {
  assert.deepEqual(codes({ first_token: 0.8, entropy: 0.5 }), ["first_token"]);
  assert.deepEqual(codes({ separator: 0.8, entropy: 0.5 }), ["separator"]);
  assert.deepEqual(codes({ entropy: 0.99 * Math.log(13) }, { others: 1 }), ["uniform"]);
  assert.deepEqual(codes({ entropy: 1, first_token: 0.2 }), []);
});

test("a model whose heads are all uniform looks untrained", () => {
  assert.deepEqual(codes({ entropy: 0.99 * Math.log(13) }), ["untrained", "uniform"]);
});

test("under a causal mask early queries have little to read: uniform is lower", () => {
  let sum = 0;
  for (let count = 1; count <= 13; count++) sum += Math.log(count);
  assert.ok(Math.abs(uniformEntropy({ causal: true, key_tokens: 13 }) - sum / 13) < 1e-12);
  assert.deepEqual(codes({ entropy: 0.98 * (sum / 13) }, { causal: true }), ["untrained", "uniform"]);
  assert.deepEqual(codes({ entropy: 0.98 * (sum / 13) }), []);
});
