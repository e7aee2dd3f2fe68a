import assert from "node:assert/strict";
import { test } from "node:test";

import { decoderNumbers } from "../../../../static/js/concepts/decoder/numbers.js";
import { matricesOf } from "../../../../static/js/concepts/decoder/station_values.js";
import { shapesOf } from "../../../../static/js/concepts/decoder/shapes.js";
import { ADDED, fields, lookedAt, request, stationsOf } from "../../../../static/js/concepts/decoder/state.js";
import { codec } from "../../../../static/js/base/fields.js";

/** @typedef {import("../../../../static/js/concepts/decoder/state.js").DecoderData} DecoderData */

/** The page in the state of this address, with the answer that a saved file computes. @param {string} search */
function page(search) {
  const state = /** @type {DecoderData["state"]} */ (codec(fields).read(search));
  const answer = /** @type {DecoderData["answer"] | null} */ (decoderNumbers(request(state)));
  assert.ok(answer, search);
  return lookedAt({ state, answer, others: [] });
}

/** @param {DecoderData} data @param {number} layer */
const stations = ({ answer }, layer) => stationsOf(answer.config, answer.blocks[layer]);

const OLD = "norm project heads rope qk_norm cache share scores weights mix attention feed_forward next".split(" ");

test("the block of 2026 has the stations of 2025 in their order, and those that were added", () => {
  const [before, now] = [page("?form=nanochat_2025"), page("?form=nanochat_2026")];
  for (const layer of [0, 1, 2, 3]) {
    assert.deepEqual(stations(before, layer), OLD);
    const own = stations(now, layer);
    assert.deepEqual(
      own.filter((one) => !ADDED.has(one)),
      OLD,
    );
    assert.equal(own.includes("value_embedding"), layer % 2 === 1);
  }
  const added = stations(now, 1);
  assert.ok(added.indexOf("heads") + 1 === added.indexOf("value_embedding"));
  assert.ok(added.indexOf("qk_norm") + 1 === added.indexOf("sharpen"));
  assert.ok(added.indexOf("window") + 1 === added.indexOf("scores"));
});

test("an address of a block that a form does not have shows its last", () => {
  const { state, answer } = page("?form=llama&layer=3");
  assert.equal(answer.blocks.length, 2);
  const all = lookedAt({ state: { ...state, step: 1 }, answer, others: [] });
  assert.equal(matricesOf(all, "norm")[0].values, answer.blocks[1].inputs);
});

test("each added station has a shape and numbers", () => {
  const data = page("?form=nanochat_2026&layer=1&head=3&query=4");
  const { answer } = data;
  const attention = /** @type {Record<string, number[][][]>} */ (answer.blocks[1].attention);
  assert.deepEqual(shapesOf(answer, "value_embedding"), ["2 × 5 × 4"]);
  assert.deepEqual(shapesOf(answer, "sharpen"), ["4 × 5 × 4", "2 × 5 × 4"]);
  assert.deepEqual(shapesOf(answer, "window"), ["5 × 5"]);

  const [rows, values] = matricesOf(data, "value_embedding").map((one) => /** @type {number[][]} */ (one.values));
  const own = attention.values_by_head[1];
  rows.forEach((row, token) =>
    row.forEach((one, at) => assert.ok(Math.abs(own[token][at] + one - values[token][at]) < 1e-12)),
  );
  assert.deepEqual(matricesOf(data, "heads")[2].values, own); // before it is added
  assert.deepEqual(matricesOf(data, "cache")[1].values, values);
  assert.deepEqual(matricesOf(data, "cache")[0].values, attention.keys_sharpened[1]);

  const sums = matricesOf(data, "window")[0].values.map((row) => row.map(Number).reduce((sum, one) => sum + one));
  assert.deepEqual(sums, [1, 2, 3, 3, 3]);
});

test("in a block that sees all, the window is the causal mask; a single word sees itself", () => {
  const sums = matricesOf(page("?form=nanochat_2026&layer=3"), "window")[0].values.map((row) => row.indexOf(0));
  assert.deepEqual(sums, [1, 2, 3, 4, -1]);
  const { state, answer } = page("?form=nanochat_2026");
  const [block] = answer.blocks;
  const alone = { ...block, inputs: [block.inputs[0]], attention: { ...block.attention, mask: undefined } };
  const data = lookedAt({ state, answer: { ...answer, blocks: [alone] }, others: [] });
  assert.deepEqual(matricesOf(data, "window")[0].values, [[1]]);
});
