/** The graph of information flow with what is pointed at and chosen in it. */

import { el, fill, svg } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { changes } from "../../base/mount.js";
import { whenSized } from "../../base/paper.js";
import { atTypeSize } from "../../base/type_scale.js";
import { apartLabel } from "../../wording/token_apart.js";
import { depthOf, routesThrough } from "./graph.js";
import { MARGIN, drawnEdge, drawnGraph, layerLabels, layerLines, ring } from "./graph_picture.js";
import { columnsOf, layOut, nearest } from "./layout.js";
import { edgeWords, nodeWords } from "./words.js";

/** @typedef {import("../../api/information_flow.js").InformationFlow} InformationFlow */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {{node: number} | {edge: FlowEdge} | {output: number}} Hit */

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
  const { onNode, onEdge, onOutput, onPoint } = options;
  const layers = svg("svg", { class: "flow-layers", "aria-hidden": "true" });
  const [back, graph, marks] = [svg("g"), svg("g"), svg("g", { class: "flow-marks" })];
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
  picture.addEventListener("pointermove", (event) => point(hitAt(event)), { signal });
  picture.addEventListener("pointerleave", () => point(null), { signal });
  picture.addEventListener("click", (event) => pick(hitAt(event)), { signal });

  /** @param {PointerEvent | MouseEvent} event @returns {Hit | null} */
  function hitAt(event) {
    if (!layout) return null;
    const box = picture.getBoundingClientRect();
    const at = { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
    const isCoarse = "pointerType" in event && event.pointerType === "touch";
    const reach = isCoarse ? REACH.coarse : REACH.fine;
    const found = nearest(layout, at, reach);
    if (found && ("node" in found || !onOutput)) return found;
    const isOnTop = Math.abs(at.y - layout.yOf(depthOf(current.flow.nodes[0]))) < reach;
    const { middles, widths } = layout.columns;
    const column = middles.findIndex((middle, index) => Math.abs(middle - at.x) <= Math.min(reach, widths[index] / 2));
    return onOutput && isOnTop && column >= 0 ? { output: column } : found;
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

  /** @param {Hit | null} found */
  function pick(found) {
    if (!found) return;
    if ("output" in found) onOutput?.(found.output);
    else if ("edge" in found) onEdge(found.edge);
    else onNode(found.node);
  }

  function draw() {
    const { flow, tokens, numbering } = current;
    if (element.clientWidth === 0) return;
    scale = atTypeSize(1);
    const room = element.clientWidth / scale - MARGIN.left - MARGIN.right;
    const reached = new Set(current.graph.nodes.map((node) => flow.nodes[node].position));
    const depths = depthOf(flow.nodes[0]);
    layout = layOut(flow.nodes, current.graph, columnsOf(tokens.length, reached, room), depths);
    const all = { nodes: flow.nodes, layout, tokens, numbering, position: flow.position, isAsked: Boolean(onOutput) };
    const height = layout.height + MARGIN.labels;
    const width = Math.ceil(layout.columns.width + MARGIN.right);
    for (const [one, wide] of /** @type {const} */ ([
      [layers, MARGIN.left],
      [picture, width],
    ])) {
      one.setAttribute("width", String(wide * scale));
      one.setAttribute("height", String(height * scale));
      one.setAttribute("viewBox", `0 0 ${wide} ${height}`);
      one.style.setProperty("--pixel", String(1 / scale));
    }
    fill(layers, ...layerLabels(all, depths));
    fill(back, ...layerLines(layout, depths, flow.nodes[0].station === "after_block" ? 1 : 2));
    fill(graph, ...drawnGraph(all));
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
    const { node, edge, pointed, graph: shown } = current;
    const over = hit && "edge" in hit ? hit.edge : hit ? null : pointed;
    const through = node === 0 ? null : routesThrough(shown, node);
    const edges = layout.edges.filter((placed) => placed.edge === edge || placed.edge === over);
    const nodes = layout.nodes.filter(
      (placed) => placed.node === node || (hit && "node" in hit && hit.node === placed.node),
    );
    const routes = through ? layout.edges.filter((placed) => through.has(placed.edge)) : [];
    graph.classList.toggle("is-behind", through !== null);
    fill(
      marks,
      ...routes.map((placed) => drawnEdge(placed, `is-${placed.edge.kind.replace("_", "-")}`)),
      ...edges.map((placed) => drawnEdge(placed, placed.edge === edge ? "is-chosen" : "is-pointed", 4)),
      ...edges.map((placed) => drawnEdge(placed, `is-${placed.edge.kind.replace("_", "-")}`, 1)),
      ...nodes.map((placed) => ring(placed, placed.node === node ? "flow-chosen" : "flow-pointed")),
    );
    fill(readout, ...words(over));
  }

  /** @param {FlowEdge | null} over */
  function words(over) {
    const { flow, tokens, numbering, edge } = current;
    if (hit && "output" in hit) {
      return [t("Take the output at “{token}” apart", { token: apartLabel(tokens, tokens[hit.output], numbering) })];
    }
    if (hit && "node" in hit) return nodeWords(flow.nodes[hit.node], tokens, numbering);
    const part = over ?? edge;
    if (part) return edgeWords(part, flow.nodes, tokens, numbering);
    return [
      el("span", { class: "note flow-hint" }, t("Point at an edge or a node to read it off; click to choose it.")),
    ];
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

/** @param {FlowData} data */
function spoken({ flow, graph, tokens, numbering }) {
  const token = apartLabel(tokens, tokens[flow.position], numbering);
  const said = { nodes: graph.nodes.length, edges: graph.edges.length, token };
  return t("Graph of {nodes} nodes and {edges} edges that lead to the output at “{token}”", said);
}
