import assert from "node:assert/strict";
import { test } from "node:test";

import { savedFigure } from "../../../../static/js/charts/plots/plot_drawing.js";

test("a saved chart has its title above it and room for its legend, and is otherwise as drawn", () => {
  const drawn = { data: [{ y: [1] }], layout: { height: 300, xaxis: { range: [0, 1] }, showlegend: false } };
  const { data, layout } = savedFigure(drawn, { title: "Loss", hasLegend: true }, { page: "#fff", height: 300 });
  assert.equal(data, drawn.data);
  assert.deepEqual([layout.height, layout.title, layout.showlegend], [380, { text: "Loss" }, true]);
  assert.deepEqual(
    [layout.paper_bgcolor, /** @type {Record<string, unknown>} */ (layout).xaxis],
    ["#fff", { range: [0, 1] }],
  );
  assert.equal(drawn.layout.height, 300);
});
