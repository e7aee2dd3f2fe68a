import assert from "node:assert/strict";
import { test } from "node:test";

import { createRecordedAnalysis } from "../../../../static/js/explorer/data/recorded_analysis.js";

const ID = "/api/analyses/a1";
const WEIGHTS = [
  [1, 0],
  [0.25, 0.75],
];
const token = (/** @type {number} */ index) => ({ index, id: index, text: "ab"[index], special: false, segment: 0 });

/** @param {number} heads  whose weights are in the file @param {any[]} more */
function file(heads, more = []) {
  const part = { name: "encoder", layers: 1, heads: 2, query_tokens: 2, key_tokens: 2 };
  const allowed_keys = {
    masks: [
      [
        [0, 1],
        [0, 2],
      ],
    ],
    of_heads: [[0, 0]],
  };
  const sides = { query_side: "source", key_side: "source", causal: true, allowed_keys };
  const overview = { dtype: "u1", shape: "1,2,1,1", bdata: btoa(String.fromCharCode(255, 51)) };
  const analysis = { id: "a1", tokens: [token(0), token(1)], parts: [{ ...part, ...sides, stages: [] }], overview };
  const windows = Array.from({ length: heads }, (_, head) => ({
    request: `${ID}/weights?part=encoder&layer=0&head=${head}`,
    answer: { part: "encoder", layer: 0, head, stage: "weights", rows: [0, 2], cols: [0, 2], matrix: WEIGHTS },
  }));
  return createRecordedAnalysis([{ request: ID, answer: analysis }, ...windows, ...more], 0);
}

/** @param {ReturnType<typeof file>} recorded @param {string} path */
const answer = (recorded, path) => /** @type {any} */ (recorded.derive(`${ID}/${path}`)).answer;
/** @param {ReturnType<typeof file>} recorded @param {string} path */
const missing = (recorded, path) => /** @type {any} */ (recorded.derive(`${ID}/${path}`)).missing;

test("windows are cut from what was recorded; of other heads there is the thumbnail, and no single weight", () => {
  const recorded = file(1);
  const row = answer(recorded, "weights?part=encoder&layer=0&head=0&stage=weights&rows=1:2");
  assert.deepEqual(row.matrix, [[0.25, 0.75]]);
  assert.deepEqual(
    [row.rows, row.cols],
    [
      [1, 2],
      [0, 2],
    ],
  );
  const tile = answer(recorded, "weights?part=encoder&layer=0&head=1&stage=weights&rows=0:2&cols=0:2&max_size=256");
  assert.ok(Math.abs(tile.matrix[0][0] - 0.2) < 1e-6);
  assert.equal(
    missing(recorded, "weights?part=encoder&layer=0&head=1&stage=weights&rows=1:2"),
    "This file has no exact weights for Layer 0, head 1. Each cell is the maximum over 2 × 2 tokens. Weights are rounded to 1/255.",
  );
  assert.match(missing(recorded, "weights?layer=0&head=0&stage=raw_scores"), /only the weights of this head/);
  assert.deepEqual(recorded.stagesOf(recorded.analysis.parts[0], { layer: 0, head: 0 }), ["weights"]);
});

test("one study of patching is there or none; another one is not, and it says so", () => {
  const study = { request: '/api/patching/paths {"clean":"a b"}', answer: {} };
  assert.equal(file(1).hasPatching, false);
  assert.equal(file(1, [{ request: '/api/patching/prompts {"clean":"a b"}', answer: {} }]).hasPatching, false);
  const recorded = file(1, [study]);
  assert.equal(recorded.hasPatching, true);
  for (const request of ['/api/patching {"clean":"a c"}', '/api/patching/paths {"clean":"a c"}']) {
    assert.match(/** @type {any} */ (recorded.derive(request)).missing, /holds one patching study/);
  }
  assert.equal(recorded.derive("/api/patching/prompts {}"), null);
});

test("what takes all heads follows where the file holds them all", () => {
  const all = file(2);
  const { rollout, mean_weights, max_flow_tokens } = answer(all, "rollout/layers?part=encoder&query=1");
  assert.deepEqual([rollout, mean_weights, max_flow_tokens], [[[0.125, 0.875]], [[0.25, 0.75]], 2]);
  assert.deepEqual(answer(all, "rollout?part=encoder&layer=0").matrix, [
    [1, 0],
    [0.125, 0.875],
  ]);
  const reads = answer(all, "tokens/0?side=source&count=1&hide_special=false&words=false").parts[0];
  assert.deepEqual(reads.reads, { indices: [[[0], [0]]], weights: [[[1], [1]]], totals: [[1, 1]] });
  assert.deepEqual(reads.read_by.totals, [[1.25, 1.25]]);
  assert.match(missing(all, "flow?part=encoder&layer=0&query=1"), /flow is not in this file/);
  assert.match(missing(file(1), "rollout/layers?part=encoder&query=1"), /too many for this file/);
  assert.match(missing(file(1), "rollout?part=encoder&layer=0"), /too many for this file/);
  assert.match(missing(file(1), "tokens/0"), /too many for this file/);
});

test("a distribution follows from single weights and the mask", () => {
  const found = answer(file(1), "distribution?part=encoder&layer=0&head=0&stage=weights");
  assert.deepEqual([found.masked, found.minimum, found.maximum, found.counts.length], [1, 0.25, 1, 64]);
  assert.match(missing(file(1), "distribution?layer=0&head=1"), /does not have for this head/);
});

test("one output was recorded; other heads have their sums, no weights × gradients", () => {
  const request = `${ID}/attribution?position=1&token=7&part=encoder&layer=0&head=0`;
  const recorded = file(1, [{ request, answer: { parts: [], matrix: [[1]] } }]);
  assert.deepEqual(answer(recorded, "attribution?position=1&token=7&part=encoder&layer=0&head=1"), {
    parts: [],
    matrix: null,
    heldFor: { layer: 0, head: 0 },
  });
  assert.match(missing(recorded, "attribution?position=0&token=7"), /one output/);
  assert.match(missing(recorded, "output?position=0"), /one output/);
});

test("the plane is there for one head, whichever tokens are chosen", () => {
  const plane = { part: "encoder", layer: 0, head: 1 };
  const recorded = file(1, [{ request: `${ID}/query_key_plane?part=encoder&layer=0&head=1`, answer: plane }]);
  const wanted = "query_key_plane?part=encoder&layer=0&hide_special=";
  assert.equal(answer(recorded, `${wanted}false&head=1&query=1`), plane);
  assert.match(missing(recorded, `${wanted}true&head=1`), /only for Layer 0, head 1/);
  assert.match(missing(recorded, `${wanted}false&head=0`), /only for Layer 0, head 1/);
  assert.match(missing(recorded, "vectors?query=1"), /live page/);
  assert.equal(recorded.derive(`${ID}/difference?other=b`), null);
});
