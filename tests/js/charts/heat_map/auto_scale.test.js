import assert from "node:assert/strict";
import { test } from "node:test";
import { areFaint, matrixMaxima, scaleFor, thumbnailMaxima } from "../../../../static/js/charts/heat_map/auto_scale.js";

test("a map with something to see in most rows keeps the scale from 0 to 1", () => {
  assert.deepEqual(scaleFor("", [0.9, 0.3, 0.25]), { end: 1, isFaint: false });
  assert.deepEqual(scaleFor("", []), { end: 1, isFaint: false });
  assert.deepEqual(scaleFor("", [0, 0]), { end: 1, isFaint: false });
});

test("the scale ends at the largest weight where all are small", () => {
  assert.deepEqual(scaleFor("", [0.08, 0.06, 0.07]), { end: 0.08, isFaint: false });
});

test("colour follows the root where most rows would be blank", () => {
  assert.deepEqual(scaleFor("", [0.9, 0.05, 0.04]), { end: 1, isFaint: true });
  assert.deepEqual(scaleFor("", [0.2, 0.01, 0.02, 0.01]), { end: 0.2, isFaint: true });
});

test("the reader's choice comes first", () => {
  assert.deepEqual(scaleFor("0", [0.01]), { end: 1, isFaint: false });
  assert.deepEqual(scaleFor("1", [0.9]), { end: 1, isFaint: true });
});

test("maxima of rows, of a thumbnail and of a matrix", () => {
  const thumbnails = {
    bytes: Uint8Array.from([0, 0, 0, 0, 51, 0, 102, 255]),
    layers: 1,
    heads: 2,
    height: 2,
    width: 2,
  };
  assert.deepEqual(thumbnailMaxima(thumbnails, { layer: 0, head: 1 }), [0.2, 1]);
  /** @type {any} */
  const matrix = { values: Float32Array.from([0.5, -Infinity, 0.25, 0.125]), width: 2 };
  assert.deepEqual(matrixMaxima(matrix), [0.5, 0.25]);
  assert.equal(areFaint("", thumbnails), false);
  assert.equal(areFaint("", { ...thumbnails, bytes: new Uint8Array(8).fill(5) }), true);
  assert.equal(areFaint("0", { ...thumbnails, bytes: new Uint8Array(8).fill(5) }), false);
});
