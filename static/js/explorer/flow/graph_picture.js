/** The graph of information flow as one SVG: its edges, nodes, tokens and layers, and marks for what is chosen. */

import { lowered } from "../../base/numbers.js";
import { svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { tokenLabel } from "../../wording/labels.js";
import { depthOf } from "./graph.js";

/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").PlacedEdge} PlacedEdge */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/information_flow.js").FlowNode} FlowNode */
/** @typedef {import("../../api/types.js").Token} Token */

export const MARGIN = { left: 98, right: 44, labels: 66 };
const WIDTH = { least: 1.1, most: 6 };
const LONGEST_LABEL = 9;
/** Narrower columns have no label and no place for an output. */
const LABELLED = 16;
const NODE = 3.6;

/**
 * @typedef {object} Picture
 * @property {readonly FlowNode[]} nodes
 * @property {Layout} layout
 * @property {readonly Token[]} tokens
 * @property {0 | 1} numbering
 * @property {number} position  of the output
 * @property {boolean} isAsked  whether other outputs can be chosen
 */

/**
 * Layers, tokens, edges and nodes; x is counted from the left edge of the first column.
 * @param {Picture} picture
 * @returns {SVGElement[]}
 */
export function drawnGraph(picture) {
  const { layout } = picture;
  const order = { residual: 0, feed_forward: 1, head: 2 };
  const edges = [...layout.edges].sort((a, b) => order[a.edge.kind] - order[b.edge.kind]);
  return [
    svg("g", { class: "flow-tokens" }, ...tokenMarks(picture)),
    svg("g", { class: "flow-edges" }, ...edges.map((placed) => drawnEdge(placed, `is-${kindClass(placed.edge.kind)}`))),
    svg("g", { class: "flow-nodes" }, ...layout.nodes.map(({ x, y }) => svg("circle", { cx: x, cy: y, r: NODE }))),
  ];
}

/** @param {FlowEdge["kind"]} kind */
export function kindClass(kind) {
  return kind.replace("_", "-");
}

/**
 * @param {PlacedEdge} placed
 * @param {string} kind  class
 * @param {number} [wider]
 */
export function drawnEdge({ edge, from, control, to }, kind, wider = 0) {
  const width = WIDTH.least + (WIDTH.most - WIDTH.least) * edge.importance + wider;
  const path = `M${round(from.x)},${round(from.y)}Q${round(control.x)},${round(control.y)} ${round(to.x)},${round(to.y)}`;
  return svg("path", { d: path, class: `flow-edge ${kind}`, "stroke-width": round(width) });
}

/**
 * @param {{x: number, y: number}} place
 * @param {string} kind  class
 */
export function ring({ x, y }, kind) {
  return svg("circle", { cx: x, cy: y, r: NODE + 3, class: kind });
}

/**
 * The names of layers, for a column of its own that stays where it is.
 * @param {Pick<Picture, "nodes" | "layout" | "numbering">} picture
 * @param {number} depths
 * @returns {SVGElement[]}
 */
export function layerLabels({ nodes, layout, numbering }, depths) {
  const isParallel = nodes[0].station === "after_block";
  const perLayer = isParallel ? 1 : 2;
  const layers = Math.round(depths / perLayer);
  const size = layout.yOf(0) - layout.yOf(perLayer);
  const every = Math.max(1, Math.ceil(16 / size));
  const label = (/** @type {number} */ y, /** @type {string} */ text) =>
    svg("text", { x: MARGIN.left - 12, y: y + 4, class: "flow-label", "text-anchor": "end" }, text);
  const names = Array.from({ length: layers }, (_, layer) => {
    const y = (layout.yOf(layer * perLayer) + layout.yOf((layer + 1) * perLayer)) / 2;
    return layer % every === 0 ? label(y, t("Layer {layer}", { layer: layer + numbering })) : null;
  });
  return [label(layout.yOf(0), t("embedding")), ...names.filter((name) => name !== null)];
}

/** A line between layers. @param {Layout} layout @param {number} depths @param {number} perLayer */
export function layerLines(layout, depths, perLayer) {
  return Array.from({ length: Math.round(depths / perLayer) + 1 }, (_, layer) => {
    const y = layout.yOf(layer * perLayer);
    return svg("line", { x1: 0, x2: layout.columns.width, y1: y, y2: y, class: "flow-line" });
  });
}

/**
 * Tokens below, and above each the place at which its output would be.
 * @param {Picture} picture
 */
function tokenMarks({ nodes, layout, tokens, numbering, position, isAsked }) {
  const { middles, widths } = layout.columns;
  const top = layout.yOf(depthOf(nodes[0]));
  const bottom = layout.yOf(0);
  const reached = new Set(layout.nodes.map(({ node }) => nodes[node].position));
  return tokens.flatMap((token, index) => {
    if (widths[index] < LABELLED) return [];
    const x = middles[index];
    const place = `translate(${round(x)} ${bottom + 14}) rotate(38)`;
    const text = svg(
      "text",
      { transform: place, class: `flow-token${reached.has(index) ? "" : " is-unreached"}` },
      shortened(tokenLabel(token)),
      svg("tspan", { class: "flow-index" }, lowered(index + numbering)),
    );
    const output = isAsked && index !== position && svg("circle", { cx: x, cy: top, r: NODE, class: "flow-output" });
    return output ? [text, output] : [text];
  });
}

/** @param {string} label */
function shortened(label) {
  const signs = [...label];
  return signs.length > LONGEST_LABEL ? `${signs.slice(0, LONGEST_LABEL - 1).join("")}…` : label;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
