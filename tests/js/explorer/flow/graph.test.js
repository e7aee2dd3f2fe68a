/** The graph of a threshold, against a search from the output; what is chosen, in words of the address. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chosenIn,
  depthOf,
  graphAt,
  partsOf,
  readChosen,
  routesThrough,
  writeEdge,
  writeNode,
} from "../../../../static/js/explorer/flow/graph.js";
import { columnsOf, layOut, nearest, pointOn } from "../../../../static/js/explorer/flow/layout.js";

/** Two layers, three tokens; importances by hand. */
const NODES = [
  { layer: 1, station: "after_feed_forward", position: 2, strength: 1 },
  { layer: 1, station: "after_attention", position: 2, strength: 0.9 },
  { layer: 0, station: "after_feed_forward", position: 2, strength: 0.6 },
  { layer: 0, station: "after_feed_forward", position: 0, strength: 0.3 },
  { layer: 0, station: "after_attention", position: 2, strength: 0.6 },
  { layer: 0, station: "after_attention", position: 0, strength: 0.3 },
  { layer: -1, station: "embedding", position: 2, strength: 0.5 },
  { layer: -1, station: "embedding", position: 0, strength: 0.3 },
  { layer: -1, station: "embedding", position: 1, strength: 0.05 },
].map((node) => ({ ...node, bias: 0, candidates: [] }));
/** Kind, layer, head, source, target, importance, strength. */
const EDGES = [
  ["residual", 1, null, 1, 0, 0.9, 0.9],
  ["residual", 1, null, 2, 1, 0.6, 0.6],
  ["residual", 0, null, 4, 2, 0.8, 0.6],
  ["residual", 0, null, 6, 4, 0.5, 0.5],
  ["head", 1, 3, 3, 1, 0.3, 0.3],
  ["residual", 0, null, 5, 3, 0.95, 0.3],
  ["residual", 0, null, 7, 5, 0.7, 0.3],
  ["feed_forward", 1, null, 1, 0, 0.1, 0.1],
  ["head", 0, 2, 8, 4, 0.05, 0.05],
  ["head", 0, 1, 8, 5, 0.04, 0.04],
  ["head", 0, 0, 8, 4, 0.03, 0.03],
].map(([kind, layer, head, source, target, importance, strength]) => ({
  kind,
  layer,
  head,
  source,
  target,
  importance,
  strength,
}));
const FLOW = /** @type {import("../../../../static/js/api/information_flow.js").InformationFlow} */ (
  /** @type {unknown} */ ({ nodes: NODES, edges: EDGES, floor: 0.02, position: 2 })
);

test("a threshold's graph is what a search from the output finds", () => {
  for (const threshold of [0.02, 0.035, 0.045, 0.2, 0.4, 0.55, 0.7, 1]) {
    const [reached, found] = [new Set([0]), new Set()];
    for (let depth = 4; depth > 0; depth--) {
      for (const edge of FLOW.edges) {
        if (depthOf(FLOW.nodes[edge.target]) !== depth || !reached.has(edge.target) || edge.importance < threshold)
          continue;
        reached.add(edge.source);
        found.add(edge);
      }
    }
    const graph = graphAt(FLOW, threshold);
    assert.deepEqual(new Set(graph.edges), found);
    assert.deepEqual(new Set(graph.nodes), reached);
  }
  assert.equal(graphAt(FLOW, 0.001).threshold, 0.02);
});

test("what is chosen goes into the address and comes back", () => {
  const graph = graphAt(FLOW, 0.02);
  for (const edge of FLOW.edges) {
    assert.deepEqual(chosenIn(FLOW, graph, writeEdge(edge, FLOW.nodes)), { node: edge.target, edge });
  }
  FLOW.nodes.forEach((node, index) => {
    assert.deepEqual(chosenIn(FLOW, graph, writeNode(node)), { node: index, edge: null });
  });
  assert.equal(writeEdge(FLOW.edges[4], FLOW.nodes), "3.2.h3.0");
  // What the threshold has taken away, or nobody has written, is the output.
  const few = graphAt(FLOW, 0.2);
  assert.deepEqual(chosenIn(FLOW, few, "1.2.h2.1"), { node: 4, edge: null });
  for (const text of ["0.1", "", "9.9", "3.2.x", "3.2.h3", "-1.2"]) {
    assert.deepEqual(chosenIn(FLOW, few, text), { node: 0, edge: null });
  }
  assert.equal(readChosen("3.2.q"), null);
});

test("parts are sorted by importance, routes lead up to the output and down to the tokens", () => {
  const graph = graphAt(FLOW, 0.02);
  assert.deepEqual(
    partsOf(graph, 4).map(({ importance }) => importance),
    [0.5, 0.05, 0.03],
  );
  const through = [...routesThrough(graph, 3)]
    .map((edge) => FLOW.edges.indexOf(edge))
    .sort((one, other) => one - other);
  assert.deepEqual(through, [0, 4, 5, 6, 7, 9]);
});

test("columns share the room; in a long text only reached tokens are wide", () => {
  assert.deepEqual([...columnsOf(4, new Set([0]), 200).middles], [25, 75, 125, 175]);
  const long = columnsOf(100, new Set([3, 50]), 600);
  assert.equal(long.widths[3], 55);
  assert.equal(long.widths[4], 5);
  assert.equal(long.width, 98 * 5 + 110);
  const longer = columnsOf(1000, new Set([3]), 600);
  assert.deepEqual([longer.widths[3], longer.widths[4], longer.width], [24, 1.5, 999 * 1.5 + 24]);
});

test("what is nearest to a point: a node before an edge, and of edges the nearest curve", () => {
  const graph = graphAt(FLOW, 0.02);
  const layout = layOut(FLOW.nodes, graph, columnsOf(3, new Set([0, 1, 2]), 240), 4);
  for (const { node, x, y } of layout.nodes) {
    assert.deepEqual(nearest(layout, { x: x + 2, y: y - 2 }, 8), { node });
  }
  for (const placed of layout.edges) {
    assert.deepEqual(nearest(layout, pointOn(placed, 0.5), 8), { edge: placed.edge });
  }
  assert.equal(nearest(layout, { x: -40, y: 0 }, 8), null);
});
