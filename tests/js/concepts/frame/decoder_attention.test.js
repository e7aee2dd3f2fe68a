import assert from "node:assert/strict";
import { test } from "node:test";

import { attended, placingsOf } from "../../../../static/js/concepts/frame/core/decoder_attention.js";

/** @typedef {import("../../../../static/js/concepts/frame/core/random_decoder.js").Sizes} Sizes */

/** Two heads of two numbers each. @type {Pick<Sizes, "form" | "qkNorm" | "isNormedFirst" | "width" | "heads">} */
const sizes = { form: "llama", qkNorm: null, isNormedFirst: true, width: 4, heads: 2 };

/** What becomes of (3, 4) at position 1, by the name of each placing. @param {Partial<Sizes>} own */
function placed(own) {
  let vector = [3, 4];
  return placingsOf({ ...sizes, ...own }, 2).map(({ name, of }) => [name, (vector = of(vector, 1))]);
}

/** @param {any[]} found @param {any[]} wanted */
function nearly(found, wanted) {
  assert.deepEqual(
    found.map(([name]) => name),
    wanted.map(([name]) => name),
  );
  found.flat(2).forEach((one, at) => {
    const other = wanted.flat(2)[at];
    if (typeof one === "number") assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`);
  });
}

const [cos, sin] = [Math.cos(1), Math.sin(1)];

test("queries and keys are turned by their position's angle, evened, and sharpened, as the form has it", () => {
  assert.deepEqual(placed({ form: "gpt2" }), []);
  nearly(placed({}), [["turned", [3 * cos - 4 * sin, 3 * sin + 4 * cos]]]);
  nearly(placed({ form: "gpt2", qkNorm: "l2" }), [["normed", [0.6, 0.8]]]);
  // The mean of 9 and 16 is 12.5.
  nearly(placed({ form: "gpt2", qkNorm: "rms" }), [["normed", [3 / Math.sqrt(12.5), 4 / Math.sqrt(12.5)]]]);
  nearly(placed({ form: "nanochat_2026", qkNorm: "l2" }), [
    ["normed", [0.6, 0.8]],
    ["turned", [0.6 * cos - 0.8 * sin, 0.6 * sin + 0.8 * cos]],
    ["sharpened", [1.2 * (0.6 * cos - 0.8 * sin), 1.2 * (0.6 * sin + 0.8 * cos)]],
  ]);
});

test("a norm may come after the turn", () => {
  assert.deepEqual(
    placed({ qkNorm: "l2", isNormedFirst: false }).map(([name]) => name),
    ["turned", "normed"],
  );
});

test("every tensor is kept with its shape, and a window hides the keys before it", () => {
  const linear = { outs: 2, ins: 2, weight: Float32Array.of(1, 0, 0, 1) };
  const block = /** @type {any} */ ({ query: linear, key: linear, value: linear, output: linear });
  const own = /** @type {any} */ ({ ...sizes, form: "gpt2", width: 2, heads: 1, kvHeads: 1 });
  const x = [
    [1, 0],
    [0, 1],
  ];
  const all = attended(own, block, x, null, null);
  const share = Math.exp(1 / Math.SQRT2) / (1 + Math.exp(1 / Math.SQRT2)); // of the key that is the query
  nearly([["weights", all.weights[0].flat()]], [["weights", [1, 0, 1 - share, share]]]);
  assert.deepEqual(attended(own, block, x, null, 1).output, x);
  assert.deepEqual(
    all.shapes.filter(({ name }) => !/^(keys|values|queries)_/.test(name)).map(({ name, shape }) => [name, shape]),
    [
      ["input", [1, 2, 2]],
      ["raw_scores", [1, 1, 2, 2]],
      ["weights", [1, 1, 2, 2]],
      ["head_outputs", [1, 1, 2, 2]],
      ["heads_side_by_side", [1, 2, 1, 2]],
      ["concatenated", [1, 2, 2]],
      ["output", [1, 2, 2]],
    ],
  );
});
