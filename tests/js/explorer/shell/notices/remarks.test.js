import assert from "node:assert/strict";
import { test } from "node:test";

import { remarksOn } from "../../../../../static/js/explorer/shell/notices/remarks.js";
import { uniformEntropy } from "../../../../../static/js/explorer/state/measures/uniform_entropy.js";

/**
 * The remarks on the first head, where all heads have these metrics or `others` have theirs.
 * @param {Record<string, number>} values
 * @param {{causal?: boolean, others?: number, stages?: string[]}} [options]
 */
function remarks(values, { causal = false, others, stages = [] } = {}) {
  const rows = (/** @type {string} */ name, /** @type {number} */ value) => {
    const rest = name === "entropy" && others !== undefined ? others : value;
    return [
      [value, rest],
      [rest, rest],
    ];
  };
  const metrics = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rows(name, value)]));
  return remarksOn({ metrics, causal, key_tokens: 13, stages }, { layer: 0, head: 0 });
}

/** @type {(...given: Parameters<typeof remarks>) => string[]} */
const codes = (...given) => remarks(...given).map(({ code }) => code);

test("a map that says little is explained", () => {
  assert.deepEqual(codes({ first_token: 0.8, entropy: 0.5 }), ["first_token"]);
  assert.deepEqual(codes({ separator: 0.8, entropy: 0.5 }), ["separator"]);
  assert.deepEqual(codes({ entropy: 0.99 * Math.log(13) }, { others: 1 }), ["uniform"]);
  assert.deepEqual(codes({ entropy: 1, first_token: 0.2 }), []);
});

test("what a learned sink takes is said", () => {
  const part = { metrics: {}, causal: true, key_tokens: 13, stages: ["weights"], sink_shares: [[0.431, 0.001]] };
  const [said, ...others] = remarksOn(part, { layer: 0, head: 0 });
  assert.equal(said.code, "sink");
  assert.match(said.text, /takes 0\.43 of a row on average/);
  assert.deepEqual(others, []);
  assert.deepEqual(remarksOn(part, { layer: 0, head: 1 }), []);
});

test("who rests on one place is shown what arrives from there, where that is known", () => {
  for (const metric of ["first_token", "separator"]) {
    const [plain] = remarks({ [metric]: 0.8 });
    const [further] = remarks({ [metric]: 0.8 }, { stages: ["weights", "norm_weighted"] });
    assert.equal(further.text, `${plain.text} ‖α f(x)‖ shows how much of that arrives.`);
  }
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
