import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { plainColor } from "../../../../static/js/base/theme/color.js";
import { bandsOf, barOf, lengthOf } from "../../../../static/js/explorer/saving/snapshot_box.js";

const box = { left: 100, top: 50, width: 80, height: 24 };

test("a computed length is the sum of its percents of the whole and its pixels", () => {
  assert.equal(lengthOf("8px", 80), 8);
  assert.equal(lengthOf("25%", 80), 20);
  assert.equal(lengthOf("calc(75% - 12px)", 80), 48);
  assert.equal(lengthOf("calc(100% + 2px)", 24), 26);
});

test("a bar under a number is drawn where the style sheet places it", () => {
  const image = "linear-gradient(rgb(51, 51, 51), rgb(51, 51, 51))";
  // 0.5rem from the left, half of what 1rem leaves; its lower edge 2 px above that of the cell.
  assert.deepEqual(barOf(box, { image, position: "8px calc(100% - 2px)", size: "calc(50% - 8px) 2px" }), {
    x: 108,
    y: 50 + 24 - 2 - 2,
    width: 32,
    height: 2,
    fill: "rgb(51, 51, 51)",
  });
  const right = barOf(box, { image, position: "100% 100%", size: "25% 3px" });
  assert.deepEqual(right, { x: 160, y: 71, width: 20, height: 3, fill: "rgb(51, 51, 51)" });
  const scale = "linear-gradient(to right, rgb(0, 0, 0), rgb(51, 51, 51))";
  assert.equal(barOf(box, { image: scale, position: "0% 0%", size: "auto" }), null);
  assert.equal(barOf(box, { image: "none", position: "0% 0%", size: "auto" }), null);
});

test("stripes keep their direction, their widths and their colours", () => {
  const image =
    "repeating-linear-gradient(45deg, rgba(0, 0, 0, 0) 0px, rgba(0, 0, 0, 0) 4px, color(srgb 0.2 0.4 1 / 0.7) 4px, color(srgb 0.2 0.4 1 / 0.7) 8px)";
  const bands = [{ from: 4, to: 8, fill: "rgba(51, 102, 255, 0.7)" }];
  assert.deepEqual(bandsOf(image), { angle: 45, period: 8, bands });
  assert.equal(bandsOf("none"), null);
});

test("a mixed colour is written as every program reads it", () => {
  assert.equal(plainColor("color(srgb 0.2 0.4 1)"), "rgb(51, 102, 255)");
  assert.equal(plainColor("rgb(1, 2, 3)"), "rgb(1, 2, 3)");
  assert.equal(plainColor("none"), "none");
});

test("what style sheets add to the views stands at a place of its own, where a picture finds it", () => {
  const folder = "static/css/explorer/late";
  const sheets = ["static/css/explorer/first/legend.css", ...readdirSync(folder).map((name) => `${folder}/${name}`)];
  const added = sheets.flatMap((sheet) =>
    [...readFileSync(sheet, "utf8").matchAll(/([^{}]*::(?:before|after))\s*\{([^{}]*content: "";[^{}]*)\}/g)].map(
      ([, selector, rules]) => ({ selector: `${sheet}: ${selector.trim()}`, rules }),
    ),
  );
  assert.ok(added.length >= 4);
  const inFlow = added.filter(({ rules }) => !/position: absolute;/.test(rules));
  assert.deepEqual(
    inFlow.map(({ selector }) => selector),
    [],
  );
});
