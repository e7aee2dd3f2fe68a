import assert from "node:assert/strict";
import { test } from "node:test";
import { placedGraph } from "../../../../static/js/explorer/flow/drawing.js";

/** @typedef {import("../../../../static/js/explorer/flow/flow.js").FlowData} FlowData */

/** The second token's output over two layers, of which no route leads to the third token. */
const NODES = [
  { layer: 1, station: "after_block", position: 1 },
  { layer: -1, station: "embedding", position: 0 },
];
const DATA = /** @type {FlowData} */ (
  /** @type {unknown} */ ({ flow: { nodes: NODES }, graph: { nodes: [0, 1], edges: [] }, tokens: [0, 1, 2] })
);

test("the graph fills the width without its margins, its output above the embeddings", () => {
  const { nodes, columns } = placedGraph(DATA, 98 + 240 + 44);
  assert.deepEqual([...columns.middles], [40, 120, 200]);
  assert.deepEqual(
    nodes.map(({ x }) => x),
    [120, 40],
  );
  assert.equal(nodes[1].y - nodes[0].y, 2 * 30, "two layers as far apart as they come");
});

test("where there is no room, the columns without a route are narrow", () => {
  const { columns } = placedGraph(DATA, 98 + 60 + 44);
  assert.deepEqual([...columns.widths], [27.5, 27.5, 5]);
});
