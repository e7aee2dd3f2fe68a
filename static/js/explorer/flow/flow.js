/** The graph of information flow with what is pointed at and chosen in it. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { changes } from "../../base/mount.js";
import { whenSized } from "../../base/theme/paper.js";
import { atTypeSize } from "../../base/theme/type_scale.js";
import { spotIn } from "../../charts/scatter/spots.js";
import { apartLabel } from "../../wording/token_apart.js";
import { depthOf } from "./graph.js";
import { MARGIN, drawnEdge, drawnGraph, kindClass, layerLabels, layerLines, ring } from "./graph_picture.js";
import { columnsOf, layOut } from "./layout.js";
import { hitAt, standingOut } from "./pointing.js";
import { edgeWords, nodeWords } from "./words.js";

/** @typedef {import("../../api/information_flow.js").InformationFlow} InformationFlow */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./pointing.js").Hit} Hit */

/**
 * @typedef {object} FlowData
 * @property {InformationFlow} flow
 * @property {Graph} graph
 * @property {readonly Token[]} tokens
 * @property {number} node  the chosen one
 * @property {FlowEdge | null} edge  the chosen one
 * @property {FlowEdge | null} pointed  in the list
 * @property {0 | 1} numbering
 */

/**
 * @typedef {object} FlowOptions
 * @property {(node: number) => void} onNode
 * @property {(edge: FlowEdge) => void} onEdge
 * @property {(position: number) => void} [onOutput]  without which no other can be chosen
 * @property {(edge: FlowEdge | null) => void} onPoint
 */

const REACH = { fine: 9, coarse: 18 };

/**
 * @param {HTMLElement} element
 * @param {FlowData} data
 * @param {FlowOptions} options
 * @returns {import("../../base/mount.js").View<FlowData>}
 */
export function flowView(element, data, options) {
  const { onOutput, onPoint } = options;
  const layers = svg("svg", { class: "flow-layers", "aria-hidden": "true" });
  const back = svg("g");
  const graph = svg("g");
  const marks = svg("g", { class: "flow-marks" });
  const picture = svg("svg", { class: "flow-svg", role: "img" }, back, graph, marks);
  const scroller = el("div", { class: "flow-scroller" }, picture);
  const readout = el("p", { class: "flow-readout" });
  fill(element, el("div", { class: "flow-frame" }, layers, scroller), readout);
  let current = data;
  /** @type {Layout | null} */
  let layout = null;
  /** Pixels of the page in a unit of the drawing. */
  let scale = 1;
  /** @type {Hit | null} */
  let hit = null;
  let shownOutput = "";
  const stop = new AbortController();
  const { signal } = stop;
  const stopSizing = whenSized(element, draw);
  picture.addEventListener("pointermove", (event) => point(hitBy(event)), { signal });
  picture.addEventListener("pointerleave", () => point(null), { signal });
  picture.addEventListener("click", (event) => pick(hitBy(event), options), { signal });

  /** @param {PointerEvent | MouseEvent} event @returns {Hit | null} */
  function hitBy(event) {
    if (!layout) return null;
    const { x, y } = spotIn(picture, event);
    const isCoarse = "pointerType" in event && event.pointerType === "touch";
    const how = { reach: isCoarse ? REACH.coarse : REACH.fine, isAsked: Boolean(onOutput) };
    return hitAt(layout, current.flow, { x: x / scale, y: y / scale }, how);
  }

  /** @param {Hit | null} next */
  function point(next) {
    const isSame = JSON.stringify(next) === JSON.stringify(hit);
    hit = next;
    picture.classList.toggle("is-hit", hit !== null);
    if (isSame) return;
    onPoint(hit && "edge" in hit ? hit.edge : null);
    mark();
  }

  function draw() {
    const { flow, tokens, numbering } = current;
    if (element.clientWidth === 0) return;
    scale = atTypeSize(1);
    const room = element.clientWidth / scale - MARGIN.left - MARGIN.right;
    const reached = new Set(current.graph.nodes.map((node) => flow.nodes[node].position));
    const depths = depthOf(flow.nodes[0]);
    layout = layOut(flow.nodes, current.graph, columnsOf(tokens.length, reached, room), depths);
    const { nodes, position } = flow;
    const drawing = { nodes, layout, tokens, numbering, position, isAsked: Boolean(onOutput) };
    const height = layout.height + MARGIN.labels;
    const width = Math.ceil(layout.columns.width + MARGIN.right);
    size(layers, MARGIN.left, height, scale);
    size(picture, width, height, scale);
    fill(layers, ...layerLabels(drawing, depths));
    fill(back, ...layerLines(layout, depths, flow.nodes[0].station === "after_block" ? 1 : 2));
    fill(graph, ...drawnGraph(drawing));
    picture.setAttribute("aria-label", spoken(current));
    reveal(layout);
    mark();
  }

  /** A new output is in view. @param {Layout} placed */
  function reveal({ columns }) {
    const { position } = current.flow;
    const output = `${position} ${current.tokens.length}`;
    if (output === shownOutput) return;
    shownOutput = output;
    scroller.scrollLeft = columns.middles[position] * scale - scroller.clientWidth * 0.7;
  }

  function mark() {
    if (!layout) return;
    const standing = standingOut(layout, current, hit);
    graph.classList.toggle("is-behind", standing.routes !== null);
    fill(marks, ...drawnMarks(standing, current));
    fill(readout, ...readoutOf(current, hit, standing.over));
  }

  draw();
  return {
    update(next) {
      const isOther = changes(current, next);
      current = next;
      if (isOther("flow", "graph", "tokens", "numbering", "node", "edge")) hit = null;
      if (isOther("flow", "graph", "tokens", "numbering")) draw();
      else mark();
    },
    destroy() {
      stop.abort();
      stopSizing();
      element.replaceChildren();
    },
  };
}

/**
 * @param {Hit | null} hit
 * @param {Pick<FlowOptions, "onOutput" | "onEdge" | "onNode">} options
 */
function pick(hit, { onOutput, onEdge, onNode }) {
  if (!hit) return;
  if ("output" in hit) onOutput?.(hit.output);
  else if ("edge" in hit) onEdge(hit.edge);
  else onNode(hit.node);
}

/**
 * What is drawn over the graph: the ways through what is chosen or pointed at, and that itself.
 * @param {ReturnType<typeof standingOut>} standing
 * @param {Pick<FlowData, "node" | "edge">} chosen
 */
function drawnMarks({ routes, edges, nodes }, { node, edge }) {
  const kindOf = (/** @type {FlowEdge} */ { kind }) => `is-${kindClass(kind)}`;
  return [
    ...(routes ?? []).map((placed) => drawnEdge(placed, kindOf(placed.edge))),
    ...edges.map((placed) => drawnEdge(placed, placed.edge === edge ? "is-chosen" : "is-pointed", 4)),
    ...edges.map((placed) => drawnEdge(placed, kindOf(placed.edge), 1)),
    ...nodes.map((placed) => ring(placed, placed.node === node ? "flow-chosen" : "flow-pointed")),
  ];
}

/**
 * @param {SVGSVGElement} drawing
 * @param {number} width  in its own units
 * @param {number} height
 * @param {number} scale  pixels of the page in one
 */
function size(drawing, width, height, scale) {
  drawing.setAttribute("width", String(width * scale));
  drawing.setAttribute("height", String(height * scale));
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.style.setProperty("--pixel", String(1 / scale));
}

/**
 * @param {FlowData} data
 * @param {Hit | null} hit
 * @param {FlowEdge | null} over  pointed at
 */
function readoutOf({ flow, tokens, numbering, edge }, hit, over) {
  if (hit && "output" in hit) {
    return [t("Take the output at “{token}” apart", { token: apartLabel(tokens, tokens[hit.output], numbering) })];
  }
  if (hit && "node" in hit) return nodeWords(flow.nodes[hit.node], tokens, numbering);
  const part = over ?? edge;
  if (part) return edgeWords(part, flow.nodes, tokens, numbering);
  const hint = t("Point at an edge or a node to read it off; click to choose it.");
  return [el("span", { class: "note flow-hint" }, hint)];
}

/** @param {FlowData} data */
function spoken({ flow, graph, tokens, numbering }) {
  const token = apartLabel(tokens, tokens[flow.position], numbering);
  const said = { nodes: graph.nodes.length, edges: graph.edges.length, token };
  return t("Graph of {nodes} nodes and {edges} edges that lead to the output at “{token}”", said);
}
