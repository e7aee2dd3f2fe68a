import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut } from "../../../../static/js/explorer/flow/layout.js";
import { createActions } from "../../../../static/js/explorer/flow/panel.js";
import { hitAt, standingOut } from "../../../../static/js/explorer/flow/pointing.js";

/** @typedef {import("../../../../static/js/explorer/flow/flow.js").FlowData} FlowData */

/** One layer over two tokens: the second one's output, from both embeddings. */
const NODES = [
  { layer: 0, station: "after_block", position: 1 },
  { layer: -1, station: "embedding", position: 1 },
  { layer: -1, station: "embedding", position: 0 },
];
const [STREAM, HEAD] = [
  { kind: "residual", layer: 0, head: null, source: 1, target: 0 },
  { kind: "head", layer: 0, head: 3, source: 2, target: 0 },
];
const DATA = /** @type {FlowData} */ (
  /** @type {unknown} */ ({
    flow: { nodes: NODES, position: 1 },
    graph: { nodes: [0, 1, 2], edges: [STREAM, HEAD], threshold: 0.1 },
    node: 0,
    edge: null,
    pointed: null,
  })
);
const COLUMNS = { middles: Float64Array.of(40, 120), widths: Float64Array.of(80, 80), width: 160 };
const LAYOUT = layOut(DATA.flow.nodes, DATA.graph, COLUMNS, 1);
const [TOP, BOTTOM] = [LAYOUT.yOf(1), LAYOUT.yOf(0)];

test("a node goes before an edge, and the top of another column is the place of its output", () => {
  const at = (/** @type {number} */ x, /** @type {number} */ y, isAsked = true) =>
    hitAt(LAYOUT, DATA.flow, { x, y }, { reach: 9, isAsked });
  assert.deepEqual(at(118, TOP + 2), { node: 0 });
  assert.deepEqual(at(80, (TOP + BOTTOM) / 2), { edge: HEAD });
  assert.deepEqual(at(41, TOP), { output: 0 });
  assert.equal(at(41, TOP, false), null, "a file holds one output");
  assert.equal(at(41, TOP + 15), null);
});

test("what is pointed at in the picture goes before what is in the list", () => {
  const inList = { ...DATA, pointed: DATA.graph.edges[1] };
  assert.equal(standingOut(LAYOUT, inList, null).over, HEAD);
  assert.equal(standingOut(LAYOUT, inList, { node: 2 }).over, null);
  const { over, edges, nodes } = standingOut(LAYOUT, inList, { edge: DATA.graph.edges[0] });
  assert.deepEqual([over, edges.map(({ edge }) => edge)], [STREAM, [STREAM]]);
  assert.deepEqual(
    nodes.map(({ node }) => node),
    [0],
    "the chosen one",
  );
});

test("through a chosen node lead its routes, through the output all", () => {
  assert.equal(standingOut(LAYOUT, DATA, null).routes, null);
  const { routes } = standingOut(LAYOUT, { ...DATA, node: 2 }, null);
  assert.deepEqual(
    routes?.map(({ edge }) => edge),
    [HEAD],
  );
});

test("an edge of a head sets head and cell of every view, another one leaves them", () => {
  /** @type {object[]} */
  const log = [];
  const set = (/** @type {object} */ patch) => log.push(patch);
  const bench = /** @type {Parameters<typeof createActions>[0]} */ (
    /** @type {unknown} */ ({ state: { set }, pointed: { set } })
  );
  const { onEdge, onNode, onPoint } = createActions(bench, () => DATA);
  const [stream, head] = DATA.graph.edges;
  onEdge(head);
  onEdge(stream);
  onNode(0);
  onNode(2);
  onPoint(head);
  onPoint(stream);
  assert.deepEqual(log, [
    { output: 1, flow: "1.1.h3.0", layer: 0, head: 3, query: 1, key: 0 },
    { output: 1, flow: "1.1.r" },
    { output: 1, flow: "" },
    { output: 1, flow: "0.0" },
    { query: 1, key: 0 },
    { query: null, key: null },
  ]);
  createActions(bench, () => null).onEdge(head);
  assert.equal(log.length, 6, "nothing is shown");
});
