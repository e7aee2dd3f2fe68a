/** What is pointed at in the graph of information flow, and what stands out for it. */

import { depthOf, routesThrough } from "./graph.js";
import { nearest } from "./layout.js";

/** @typedef {import("./flow.js").FlowData} FlowData */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").PlacedEdge} PlacedEdge */
/** @typedef {{node: number} | {edge: import("./graph.js").FlowEdge} | {output: number}} Hit */

/**
 * The node or edge within reach, else the place of another token's output, at the top of its column.
 * @param {Layout} layout
 * @param {FlowData["flow"]} flow
 * @param {import("./layout.js").Point} point  in units of the drawing
 * @param {{reach: number, isAsked: boolean}} how  whether other outputs can be chosen
 * @returns {Hit | null}
 */
export function hitAt(layout, { nodes }, point, { reach, isAsked }) {
  const hit = nearest(layout, point, reach);
  if (!isAsked || (hit && "node" in hit)) return hit;
  const isOnTop = Math.abs(point.y - layout.yOf(depthOf(nodes[0]))) < reach;
  const { middles, widths } = layout.columns;
  const column = middles.findIndex((middle, index) => Math.abs(middle - point.x) <= Math.min(reach, widths[index] / 2));
  return isOnTop && column >= 0 ? { output: column } : hit;
}

/**
 * What is chosen or pointed at, in the picture or in the list, and the routes through a chosen node.
 * @param {Layout} layout
 * @param {Pick<FlowData, "graph" | "node" | "edge" | "pointed">} data
 * @param {Hit | null} hit
 */
export function standingOut({ nodes, edges }, { graph, node, edge, pointed }, hit) {
  const over = hit && "edge" in hit ? hit.edge : hit ? null : pointed;
  const through = node === 0 ? null : routesThrough(graph, node);
  return {
    over,
    edges: edges.filter((placed) => placed.edge === edge || placed.edge === over),
    nodes: nodes.filter((placed) => placed.node === node || (hit && "node" in hit && hit.node === placed.node)),
    routes: through && edges.filter((placed) => through.has(placed.edge)),
  };
}
