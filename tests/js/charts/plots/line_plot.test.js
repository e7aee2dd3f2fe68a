import assert from "node:assert/strict";
import { test } from "node:test";

import { plotOf } from "../../../../static/js/charts/plots/line_plot.js";
import { layoutOf, plain, tracesOf } from "../../../../static/js/charts/plots/plot_figure.js";
import {
  placesOf,
  rangeOf,
  readingAt,
  steppedPlace,
  valueAt,
  valuesAt,
  zoomed,
} from "../../../../static/js/charts/plots/plot_data.js";

const MARK = {
  title: "Loss",
  series: [
    {
      name: "this run",
      points: /** @type {[number, number][]} */ ([
        [0, 3],
        [2, 1],
        [4, 0.5],
      ]),
    },
    {
      name: "a < b",
      points: /** @type {[number, number][]} */ ([
        [0, 2],
        [4, 2],
      ]),
      dashed: true,
      colour: 7,
    },
  ],
  x: { name: "step", least: 0, most: 10 },
  y: { name: "nats", least: 0 },
};
const COLORS = {
  series: [..."01234567"],
  query: "",
  key: "",
  accent: "",
  text: "",
  soft: "",
  line: "",
  edge: "",
  raised: "",
  page: "",
};
const NONE = /** @type {Set<string>} */ (new Set());
const KEY = { key: "", shiftKey: false, altKey: false, ctrlKey: false, metaKey: false };

test("a plot has the points of its curves, its axes, a summary and a table", () => {
  const plot = plotOf(MARK);
  assert.deepEqual([plot.x.least, plot.x.most], [0, 10]);
  assert.equal(plot.y.least, 0);
  assert.ok(plot.y.most > 3 && plot.y.most < 3.3);
  assert.deepEqual(plot.series[0].y, [3, 1, 0.5]);
  assert.match(plot.summary, /this run: 3 \(step 0\), 0\.5000 \(4\); between 0\.5000 and 3\./);
  assert.deepEqual(plot.numbers(), {
    columns: ["step", "this run", "a < b"],
    rows: [
      ["0", "3", "2"],
      ["2", "1", ""],
      ["4", "0.5000", "2"],
    ],
  });
});

test("a place is said in the words of its axis", () => {
  const says = (/** @type {number} */ x) => (x < 2 ? "before" : `after ${x}`);
  const plot = plotOf({ ...MARK, x: { ...MARK.x, says } });
  assert.match(plot.summary, /this run: 3 \(before\), 0\.5000 \(after 4\);/);
  assert.deepEqual(
    plot.numbers().rows.map(([place]) => place),
    ["before", "after 2", "after 4"],
  );
  assert.equal(plot.x.says?.(0), "before");
});

test("values are read where a series has a point, of those that are on", () => {
  const plot = plotOf(MARK);
  const names = (/** @type {number} */ x, off = NONE) =>
    valuesAt(plot, off, x).map(({ name, said }) => `${name} ${said}`);
  assert.deepEqual(names(4), ["this run 0.5000", "a < b 2"]);
  assert.deepEqual(names(2), ["this run 1"]);
  assert.deepEqual(names(4, new Set(["this run"])), ["a < b 2"]);
  assert.deepEqual(placesOf(plot, new Set(["this run"])), [0, 4]);
});

test("keys move over the places, with Shift by a tenth, to the ends", () => {
  const places = Array.from({ length: 41 }, (_, index) => index * 2);
  const step = (/** @type {object} */ event, /** @type {number | null} */ at) =>
    steppedPlace({ ...KEY, ...event }, places, at);
  assert.equal(step({ key: "ArrowRight" }, null), 0);
  assert.equal(step({ key: "ArrowRight" }, 7), 8 + 0); // the nearest place is 6
  assert.equal(step({ key: "ArrowLeft" }, 0), 0);
  assert.equal(step({ key: "ArrowRight", shiftKey: true }, 8), 16);
  assert.equal(step({ key: "End" }, 0), 80);
  assert.equal(step({ key: "ArrowRight", ctrlKey: true }, 0), null);
  assert.equal(step({ key: "x" }, 0), null);
});

test("Plotly is given text that is no markup, and what is off as invisible", () => {
  assert.equal(plain('<a href="x">&'), '&lt;a href="x"&gt;&amp;');
  const [mine, other] = tracesOf(plotOf(MARK), COLORS, new Set(["a < b"]));
  assert.deepEqual([mine.x, mine.y, mine.visible], [[0, 2, 4], [3, 1, 0.5], true]);
  assert.deepEqual([other.name, other.visible], ["a &lt; b", false]);
  assert.deepEqual(other.line, { color: "7", width: 2, shape: "linear", dash: "6px,4px" });
});

test("a range zooms around its middle or around what is read; logarithmic axes are in powers of ten", () => {
  assert.deepEqual(zoomed([0, 10], 0.5, null), [2.5, 7.5]);
  assert.deepEqual(zoomed([0, 10], 0.5, 2), [1, 6]);
  assert.deepEqual(zoomed([0, 10], 2, 40), [-5, 15]);
  assert.deepEqual(rangeOf({ name: "", least: 1, most: 1000, log: true }), [0, 3]);
});

test("names that have no room side by side stand upright", () => {
  const plot = {
    ...plotOf(MARK),
    x: { name: "head", least: 0, most: 3, ticks: [0, 1, 2], names: ["5.11", "3.1", "0.2"] },
  };
  const at = (/** @type {number} */ width) =>
    /** @type {{tickangle: number}} */ (
      layoutOf(plot, COLORS, { width, height: 200, font: "", hasPointer: true, revision: 0 }).xaxis
    ).tickangle;
  assert.deepEqual([at(600), at(120)], [0, -90]);
});

test("a place under a pointer is its share of the axis, of a logarithmic one in powers", () => {
  const axis = { range: /** @type {const} */ ([0, 2]), _offset: 50, _length: 100 };
  assert.equal(valueAt(axis, 100), 1);
  assert.equal(valueAt(axis, 100, true), 10);
});

test("a reading names the place, then every value there", () => {
  const plot = plotOf(MARK);
  const [first, ...others] = readingAt(plot, new Set(), 2).split(": ");
  assert.match(first, /2$/);
  assert.equal(others.join(": ").split(", ").length, valuesAt(plot, new Set(), 2).length);
});
