import assert from "node:assert/strict";
import { test } from "node:test";

import { countPlotOf, densityPlotOf } from "../../../../static/js/charts/plots/histogram_plot.js";
import { valuesAt } from "../../../../static/js/charts/plots/plot_data.js";

const NONE = /** @type {Set<string>} */ (new Set());

test("densities have an area of 1, steps at the edges, and can be read anywhere in a bin", () => {
  const one = { name: "a", edges: [0, 2, 4], counts: [1, 3] };
  const plot = densityPlotOf({ title: "x", series: [one], x: { name: "score" } });
  assert.deepEqual(plot.series[0].x, [-1, 1, 3, 5]); // a step lies halfway between two points: at 0, 2 and 4
  assert.deepEqual(plot.series[0].y, [0, 0.125, 0.375, 0]);
  assert.deepEqual([plot.x.least, plot.x.most], [0, 4]);
  assert.deepEqual(
    [2.1, 3.9].map((x) => valuesAt(plot, NONE, x)[0].said),
    ["0.3750", "0.3750"],
  );
  assert.deepEqual(valuesAt(plot, NONE, 9), []);
});

test("the heights of counts are their roots, which the axis undoes", () => {
  const plot = countPlotOf({ title: "x", counted: { name: "w", edges: [0, 0.5, 1], counts: [100, 4] }, x: {} });
  assert.deepEqual(plot.series[0].y, [10, 2]);
  assert.deepEqual(plot.series[0].widths, [0.5, 0.5]);
  assert.deepEqual(
    plot.y.ticks?.map((root) => root ** 2),
    plot.y.names?.map(Number),
  );
  assert.equal(plot.y.names?.at(-1), "100");
  assert.equal(plot.series[0].said[1], "4 (0.5000 … 1)");
  assert.deepEqual(plot.numbers().rows, [
    ["w", "0", "0.5000", "100"],
    ["w", "0.5000", "1", "4"],
  ]);
});
