import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeBytes, encodeBytes, encodeFloats } from "../../../../static/js/base/decode.js";
import { withThumbnails } from "../../../../static/js/explorer/data/recorded_thumbnails.js";

/** @param {number} layer @param {number} head @param {number[]} weights  of 2 queries and 2 keys */
const weightsOf = (layer, head, weights, stage = "weights", part = "encoder") => ({
  request: `/api/analyses/x/weights?part=${part}&layer=${layer}&head=${head}&stage=${stage}`,
  answer: {
    part,
    layer,
    head,
    stage,
    rows: [0, 2],
    cols: [0, 2],
    matrix: { dtype: "f4", shape: "2,2", bdata: encodeFloats(Float32Array.from(weights)) },
  },
});

test("thumbnails are made of the weights, and those that are there stay", () => {
  const given = encodeBytes(Uint8Array.of(7, 8, 9, 10));
  const analysis = {
    request: "/api/analyses/x",
    answer: {
      id: "x",
      overview: { dtype: "u1", shape: "2,1,2,2", bdata: "" },
      parts: [
        { name: "encoder", overview: null },
        { name: "cross", overview: { dtype: "u1", shape: "1,1,2,2", bdata: given } },
      ],
    },
  };
  const records = [
    weightsOf(1, 0, [0.5, 0.5, 0.25, 0.75]),
    analysis,
    weightsOf(0, 0, [1, 0, 0.1, 0.9]),
    weightsOf(0, 0, [9, 9, 9, 9], "raw_scores"),
    weightsOf(0, 0, [0, 1, 0, 1], "weights", "cross"),
  ];
  const found = withThumbnails(records);
  const { answer } = /** @type {typeof analysis} */ (found[1]);
  // 0.5 · 255 = 127.5, 0.25 · 255 = 63.75, 0.75 · 255 = 191.25, 0.1 · 255 = 25.5 and 0.9 · 255 = 229.5, which float32 has above and below
  assert.deepEqual([...decodeBytes(answer.overview.bdata)], [255, 0, 26, 229, 128, 128, 64, 191]);
  assert.equal(answer.parts[1].overview?.bdata, given);
  assert.deepEqual([found[0], found[2]], [records[0], records[2]]);
});
