import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decodeFloats,
  decodeMatrix,
  decodeSigns,
  decodeThumbnails,
  decodeWindow,
  encodeSigns,
  halfToNumber,
} from "../../../static/js/base/decode.js";

/** @param {ArrayLike<number>} bytes */
const base64 = (bytes) => Buffer.from(/** @type {any} */ (bytes)).toString("base64");

test("f4 comes back bit for bit, −∞ included", () => {
  const numbers = new Float32Array([0.7117957, -3.5, 0, 1e-30, -Infinity, 3.4e38]);
  const encoded = { dtype: /** @type {const} */ ("f4"), shape: "2,3", bdata: base64(new Uint8Array(numbers.buffer)) };
  const matrix = decodeMatrix(encoded);
  assert.deepEqual(matrix, { values: numbers, height: 2, width: 3 });
});

test("f4 is little-endian", () => {
  // 1.0 is 0x3f800000
  assert.deepEqual([...decodeFloats({ dtype: "f4", shape: "1", bdata: base64([0, 0, 0x80, 0x3f]) })], [1]);
});

test("halves are read as IEEE 754 says", () => {
  const known = [
    [0x3c00, 1],
    [0xc000, -2],
    [0x3555, 0.333251953125],
    [0x0001, 2 ** -24],
    [0x0400, 2 ** -14],
    [0x7bff, 65504],
    [0xfc00, -Infinity],
    [0x0000, 0],
  ];
  for (const [bits, number] of known) assert.equal(halfToNumber(bits), number);
  assert.ok(Number.isNaN(halfToNumber(0x7e00)));
});

test("u1 is linear from 0 to 1", () => {
  const floats = decodeFloats({ dtype: "u1", shape: "3", bdata: base64([0, 51, 255]) });
  assert.deepEqual(floats, new Float32Array([0, 0.2, 1]));
});

test("nested lists carry −∞ as a string", () => {
  const matrix = decodeMatrix([
    [0.5, "-Infinity"],
    [0.25, 0.75],
  ]);
  assert.deepEqual(matrix, { values: new Float32Array([0.5, -Infinity, 0.25, 0.75]), height: 2, width: 2 });
});

test("a matrix whose numbers do not fill its shape is refused", () => {
  assert.throws(() => decodeMatrix({ dtype: "u1", shape: "2,2", bdata: base64([1, 2, 3]) }), /3 numbers are not 2,2/);
});

test("a pooled window knows how many tokens a cell spans", () => {
  const matrix = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const decoded = decodeWindow({ matrix, rows: [10, 17], cols: [0, 5] });
  assert.equal(decoded.cellRows, 4); // 7 queries in 2 cells: 4 and 3
  assert.equal(decoded.cellCols, 2); // 5 keys in 3 cells: 2, 2 and 1
});

test("thumbnails keep their order: layer, head, row, column", () => {
  const bytes = Uint8Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index % 251);
  const thumbnails = decodeThumbnails({ dtype: "u1", shape: "2,3,5,7", bdata: base64(bytes) });
  assert.deepEqual(thumbnails, { bytes, layers: 2, heads: 3, height: 5, width: 7 });
  assert.throws(() => decodeThumbnails({ dtype: "f4", shape: "1,1,1,1", bdata: "" }), /thumbnails come as u1, not f4/);
});

test("bytes come back from signs, which are those of the server", () => {
  for (let length = 0; length < 30; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 97 + length * 31) & 255);
    const signs = encodeSigns(bytes);
    assert.equal(signs.length, 1 + 2 * Math.ceil((8 * length) / 13));
    assert.doesNotMatch(signs, /['<\\\s]/);
    assert.deepEqual(decodeSigns(signs), bytes);
  }
  // 13 bits of 1 are 8191 = 90 · 91 + 1, 3 more are 7 · 2¹⁰ = 78 · 91 + 70; the 26 bits have one byte too many.
  assert.equal(encodeSigns(Uint8Array.of(255, 255)), '"~"rj');
});
