import assert from "node:assert/strict";
import { test } from "node:test";

import { barPlotOf } from "../../../../static/js/charts/plots/bar_plot.js";
import { valuesAt } from "../../../../static/js/charts/plots/plot_data.js";

test("a group of bars stands at each name; what was not measured has none", () => {
  const plot = barPlotOf({
    title: "x",
    names: ["5.11", "3.1"],
    titles: ["one", "other"],
    axis: "head",
    unit: "weight",
    digits: 2,
    series: [
      { name: "published", values: [0.71, 0.5] },
      { name: "measured", values: [0.712, null] },
    ],
    chosen: { index: 1, name: "chosen" },
  });
  assert.deepEqual(plot.series[0].x, [0, 1]);
  assert.deepEqual([...plot.series[1].y], [0.712, Number.NaN]);
  assert.deepEqual(
    [0, 1].map((x) => valuesAt(plot, new Set(), x).map(({ name, said }) => `${name} ${said}`)),
    [["published 0.71", "measured 0.71"], ["published 0.50"]],
  );
  assert.deepEqual([plot.x.least, plot.x.most, plot.x.names], [-0.5, 1.5, ["5.11", "3.1"]]);
  assert.deepEqual(plot.verticals, [{ x: 1, name: "chosen" }]);
  assert.deepEqual(plot.numbers().rows[1], ["other", "0.50", "–"]);
  assert.equal(plot.y.least, 0);
});
