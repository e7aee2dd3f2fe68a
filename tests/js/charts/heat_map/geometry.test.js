import assert from "node:assert/strict";
import { test } from "node:test";

import { axisLabels, fitted, spanLabel, valueAt } from "../../../../static/js/charts/heat_map/cells.js";
import {
  cellSize,
  include,
  place,
  plotSize,
  snap,
  ticks,
  zoom,
} from "../../../../static/js/charts/heat_map/geometry.js";
import { arrange } from "../../../../static/js/charts/thumbnail_sheet.js";
import { formatRange, parseRange } from "../../../../static/js/explorer/state/selection.js";

/** @param {number} index @param {string} text */
const token = (index, text) => ({ index, id: index, text, start: null, end: null, special: false, segment: 0 });
const TOKENS = ["a", "b", "c", "d", "e", "f", "g"].map((text, index) => token(index, text));

test("texts are pooled to at most 256 cells", () => {
  assert.deepEqual([1, 256, 257, 512, 513].map(cellSize), [1, 1, 2, 2, 3]);
});

test("a dragged range becomes whole tokens inside the text, at least four", () => {
  assert.deepEqual(snap([2.6, 9.4], 20), [3, 10]);
  assert.deepEqual(snap([9.4, 2.6], 20), [3, 10]); // an axis may run downwards
  assert.deepEqual(snap([-3, 99], 20), [0, 20]);
  assert.deepEqual(snap([7, 7.2], 20), [6, 10]);
  assert.deepEqual(snap([0, 0.1], 3), [0, 3]);
});

test("zooming keeps the chosen token in view and ends at all or at four", () => {
  assert.deepEqual(zoom([0, 20], 0.5, 15, 20), [10, 20]);
  assert.deepEqual(zoom([0, 20], 0.5, null, 20), [5, 15]);
  assert.deepEqual(zoom([5, 9], 0.5, 6, 20), [5, 9]);
  assert.deepEqual(zoom([5, 15], 4, 6, 20), [0, 20]);
});

test("a window moves just far enough", () => {
  assert.deepEqual(include([5, 9], 4), [4, 8]);
  assert.deepEqual(include([5, 9], 9), [6, 10]);
  assert.deepEqual(include([5, 9], 7), [5, 9]);
});

test("labels thin out in steps people count in", () => {
  assert.deepEqual(ticks([0, 5], 100, 14), [0, 1, 2, 3, 4]);
  assert.deepEqual(ticks([3, 43], 140, 14), [5, 10, 15, 20, 25, 30, 35, 40]);
  const ruler = { room: 100, width: (/** @type {string} */ text) => text.length };
  const few = axisLabels(TOKENS, [0, 7], { ...ruler, length: 30 }, 1);
  assert.deepEqual(few, [
    { at: 0, text: "a₁" },
    { at: 5, text: "f₆" },
  ]);
  const all = axisLabels(TOKENS, [1, 3], { ...ruler, length: 300 }, 0);
  assert.deepEqual(
    all.map(({ text }) => text),
    ["b", "c"],
  );
});

test("a label says the token's own number, whatever is hidden before it", () => {
  const ruler = { length: 30, room: 100, width: (/** @type {string} */ text) => text.length };
  const shown = [TOKENS[1], TOKENS[2], TOKENS[4], TOKENS[6]];
  assert.deepEqual(axisLabels(shown, [0, 4], ruler, 0), [
    { at: 0, text: "b₁" },
    { at: 2, text: "e₄" },
  ]);
  assert.equal(spanLabel(shown, 3, { first: 0, size: 2, numbering: 1 }), "e … g (5–7)");
});

test("a label is shortened in its word, never in its number, at any length of the text", () => {
  const width = (/** @type {string} */ text) => [...text.replace(/[\u2068\u2069]/gu, "")].length;
  assert.equal(fitted("weather", "₂₀", 20, width), "weather₂₀");
  assert.equal(fitted("weather", "₂₀", 8, width), "weath…₂₀");
  assert.equal(fitted("weather", "₂₀", 3, width), "20", "alone in digits of full size");
  assert.equal(fitted("weather", "₂₀", 1, width), "");
  assert.equal(fitted("weather", "", 4, width), "wea…");
  assert.equal(fitted("\u2068قطة كبيرة\u2069", "₂₀", 6, width), "\u2068قطة…\u2069₂₀");
  assert.equal(fitted("weather", "₂₀", 7, width), "weat…₂₀", "a position that tells equal words apart");
  for (let count = 5; count <= 300; count++) {
    const tokens = Array.from({ length: count }, (_, index) => token(index, index % 2 ? "weather" : "Konstantinopel"));
    for (const room of [2, 3, 4, 6, 9, 12, 30]) {
      for (const length of [60, 250, 520]) {
        for (const { at, text } of axisLabels(tokens, [0, count], { length, room, width }, 1)) {
          assert.ok(width(text) <= room);
          const number = /[\d₀-₉]+$/u.exec(text)?.[0].normalize("NFKC");
          assert.ok(number === undefined || number === String(at + 1), `${text} stands at token ${at + 1}`);
        }
      }
    }
  }
});

test("cells stand where their tokens are, cut at the window's edge", () => {
  assert.deepEqual(place([10, 20], 15), { start: 0.5, size: 0.1 });
  assert.deepEqual(place([10, 20], 8, 4), { start: 0, size: 0.2 });
  assert.equal(place([10, 20], 20), null);
});

test("a plot's cells are square where there is room", () => {
  assert.deepEqual(plotSize(13, 13, 600, 480), { width: 480, height: 480 });
  assert.deepEqual(plotSize(13, 26, 600, 480), { width: 600, height: 300 });
});

test("a value is found by its tokens, pooled or not", () => {
  /** @type {import("../../../../static/js/base/decode.js").Matrix} */
  const matrix = {
    values: Float32Array.of(1, 2, 3, 4, 5, 6),
    height: 2,
    width: 3,
    rows: [4, 7],
    cols: [0, 5],
    cellRows: 2,
    cellCols: 2,
  };
  assert.equal(valueAt(matrix, 5, 4), 3);
  assert.equal(valueAt(matrix, 6, 0), 4);
  assert.equal(valueAt(matrix, 3, 0), null);
  assert.equal(valueAt(matrix, 4, 6), null);
});

test("a pooled cell names the tokens it spans, whichever of them is asked for", () => {
  assert.equal(spanLabel(TOKENS, 3, { first: 0, size: 2, numbering: 0 }), "c … d (2–3)");
  assert.equal(spanLabel(TOKENS, 6, { first: 0, size: 4, numbering: 1 }), "e … g (5–7)");
  assert.equal(spanLabel(TOKENS, 3, { first: 0, size: 1, numbering: 0 }), "d");
});

test("ranges in the URL are read back, and nonsense is all", () => {
  assert.deepEqual(parseRange("3:9", 12), [3, 9]);
  assert.deepEqual(parseRange("3:99", 12), [3, 12]);
  assert.deepEqual(parseRange("9:3", 12), [0, 12]);
  assert.deepEqual(parseRange("x", 12), [0, 12]);
  assert.equal(formatRange([0, 12], 12), "");
  assert.equal(formatRange([3, 9], 12), "3:9");
});

test("thumbnails are arranged by layer down and head across", () => {
  const [layers, heads, height, width] = [2, 3, 5, 7];
  const bytes = Uint8Array.from({ length: layers * heads * height * width }, (_, index) => index % 256);
  const colors = Uint32Array.from({ length: 256 }, (_, byte) => byte + 1000);
  const pixels = new Uint32Array(bytes.length);
  arrange(pixels, bytes, colors, { layers, heads, height, width });
  let byte = 0;
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++)
      for (let row = 0; row < height; row++)
        for (let col = 0; col < width; col++) {
          const pixel = (layer * height + row) * (heads * width) + head * width + col;
          assert.equal(pixels[pixel], bytes[byte++] + 1000);
        }
});
