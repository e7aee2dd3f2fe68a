import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  byteColors,
  contrast,
  cssColor,
  fromOklab,
  inkOn,
  mix,
  parseColor,
  toOklab,
} from "../../../../static/js/base/theme/color.js";

/** @typedef {import("../../../../static/js/base/theme/color.js").Rgb} Rgb */

const TOKENS = readFileSync(new URL("../../../../static/css/tokens.css", import.meta.url), "utf8");

/**
 * @param {string} scale
 * @param {0 | 1} theme  paper, night
 * @returns {Rgb[]}
 */
function stops(scale, theme) {
  const found = [...TOKENS.matchAll(new RegExp(`--${scale}-\\d: light-dark\\((#\\w{6}), (#\\w{6})\\)`, "g"))];
  assert.equal(found.length, 9, `${scale} has 9 stops`);
  return found.map((match) => parseColor(match[1 + theme]));
}

/** @param {Rgb[]} colors */
const lightness = (colors) => colors.map((color) => toOklab(color)[0]);

test("colours are read in both spellings", () => {
  assert.deepEqual(parseColor("#0a141e"), [10, 20, 30]);
  assert.deepEqual(parseColor("rgb(10, 20, 30)"), [10, 20, 30]);
  assert.equal(cssColor([10, 20, 30]), "rgb(10, 20, 30)");
  assert.throws(() => parseColor("tomato"), /not a colour this page uses: tomato/);
});

test("OKLab agrees with its author's values and comes back", () => {
  // sRGB red, from the reference implementation.
  const [l, a, b] = toOklab([255, 0, 0]);
  assert.ok(Math.abs(l - 0.62796) < 1e-4 && Math.abs(a - 0.22486) < 1e-4 && Math.abs(b - 0.12585) < 1e-4);
  for (const color of /** @type {Rgb[]} */ ([
    [0, 0, 0],
    [255, 255, 255],
    [12, 200, 99],
  ])) {
    fromOklab(toOklab(color)).forEach((channel, index) => assert.ok(Math.abs(channel - color[index]) < 0.01));
  }
});

for (const theme of /** @type {const} */ ([0, 1])) {
  test(`weights: lightness alone orders them, in equal steps (theme ${theme})`, () => {
    const steps = lightness(stops("weight", theme)).map((value, index, all) => (index ? value - all[index - 1] : 0));
    const sizes = steps.slice(1).map((step) => step * (theme === 0 ? -1 : 1));
    for (const size of sizes) assert.ok(size > 0.07 && size < 0.11, `steps ${sizes}`);
  });

  test(`signed numbers: 0 is the ground, both sides leave it equally (theme ${theme})`, () => {
    const values = lightness(stops("signed", theme));
    const middle = values[4];
    assert.ok(values.every((value, index) => index === 4 || Math.abs(value - middle) > 0.09));
    for (const step of [1, 2, 3, 4]) assert.ok(Math.abs(values[4 - step] - values[4 + step]) < 0.04);
  });
}

test("mixing meets every stop and clamps outside", () => {
  const all = stops("weight", 0);
  all.forEach((stop, index) => assert.equal(cssColor(mix(all, index / 8)), cssColor(stop)));
  assert.equal(cssColor(mix(all, -1)), cssColor(all[0]));
  assert.equal(cssColor(mix(all, 2)), cssColor(all[8]));
});

test("bytes become opaque pixels in canvas order", () => {
  const colors = byteColors([
    [1, 2, 3],
    [250, 251, 252],
  ]);
  assert.equal(colors.length, 256);
  assert.deepEqual([...new Uint8Array(colors.slice(0, 1).buffer)], [1, 2, 3, 255]);
  assert.deepEqual([...new Uint8Array(colors.slice(255).buffer)], [250, 251, 252, 255]);
});

test("contrast is WCAG's", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.ok(Math.abs(contrast([119, 119, 119], [255, 255, 255]) - 4.478) < 0.001); // #777 on white
});

test("ink on every cell of both scales and themes has a contrast of 4.5", () => {
  for (const scale of ["weight", "signed"]) {
    for (const theme of /** @type {const} */ ([0, 1])) {
      for (let step = 0; step <= 1000; step++) {
        const ground = mix(stops(scale, theme), step / 1000);
        const ink = /** @type {const} */ ({ black: [0, 0, 0], white: [255, 255, 255] })[inkOn(ground)];
        const found = contrast(ground, [...ink]);
        assert.ok(found >= 4.5, `${scale}, theme ${theme}, ${step / 1000}: ${found}`);
      }
    }
  }
});
