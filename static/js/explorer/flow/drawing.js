/** The drawing of the graph of information flow: the names of the layers, and the graph, which scrolls beside them. */

import { el, fill, svg } from "../../base/dom.js";
import { atTypeSize } from "../../base/theme/type_scale.js";
import { spotIn } from "../../charts/scatter/spots.js";
import { depthOf } from "./graph.js";
import { MARGIN, drawnEdge, drawnGraph, kindClass, layerLabels, layerLines, ring } from "./graph_picture.js";
import { columnsOf, layOut } from "./layout.js";
import { hitAt, standingOut } from "./pointing.js";

/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("./flow.js").FlowData} FlowData */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./pointing.js").Hit} Hit */

const REACH = { fine: 9, coarse: 18 };

/** @param {boolean} isAsked  whether other outputs can be chosen */
export function createDrawing(isAsked) {
  const layers = svg("svg", { class: "flow-layers", "aria-hidden": "true" });
  const back = svg("g");
  const graph = svg("g");
  const marks = svg("g", { class: "flow-marks" });
  const picture = svg("svg", { class: "flow-svg", role: "img" }, back, graph, marks);
  const scroller = el("div", { class: "flow-scroller" }, picture);
  /** @type {Layout | null} */
  let layout = null;
  /** Pixels of the page in a unit of the drawing. */
  let scale = 1;
  let shownOutput = "";

  /** A new output is in view. @param {FlowData} data @param {Layout} placed */
  function reveal({ flow: { position }, tokens }, { columns }) {
    const output = `${position} ${tokens.length}`;
    if (output === shownOutput) return;
    shownOutput = output;
    scroller.scrollLeft = columns.middles[position] * scale - scroller.clientWidth * 0.7;
  }

  return {
    element: el("div", { class: "flow-frame" }, layers, scroller),
    picture,
    /** @param {FlowData} data @param {number} width  pixels of the page */
    draw(data, width) {
      scale = atTypeSize(1);
      layout = placedGraph(data, width / scale);
      const { nodes, position } = data.flow;
      const { tokens, numbering } = data;
      const drawing = { nodes, layout, tokens, numbering, position, isAsked };
      const depths = depthOf(nodes[0]);
      const height = layout.height + MARGIN.labels;
      size(layers, MARGIN.left, height, scale);
      size(picture, Math.ceil(layout.columns.width + MARGIN.right), height, scale);
      fill(layers, ...layerLabels(drawing, depths));
      fill(back, ...layerLines(layout, depths, nodes[0].station === "after_block" ? 1 : 2));
      fill(graph, ...drawnGraph(drawing));
      reveal(data, layout);
    },
    /** @param {PointerEvent | MouseEvent} event @param {FlowData["flow"]} flow @returns {Hit | null} */
    hitBy(event, flow) {
      if (!layout) return null;
      const { x, y } = spotIn(picture, event);
      const isCoarse = "pointerType" in event && event.pointerType === "touch";
      const reach = isCoarse ? REACH.coarse : REACH.fine;
      return hitAt(layout, flow, { x: x / scale, y: y / scale }, { reach, isAsked });
    },
    /** Marks what stands out; null as long as nothing is drawn. @param {FlowData} data @param {Hit | null} hit */
    mark(data, hit) {
      if (!layout) return null;
      const standing = standingOut(layout, data, hit);
      graph.classList.toggle("is-behind", standing.routes !== null);
      fill(marks, ...drawnMarks(standing, data));
      return standing;
    },
  };
}

/**
 * The graph with its columns over the room there is.
 * @param {Pick<FlowData, "flow" | "graph" | "tokens">} data
 * @param {number} width  in units of the drawing, with its margins
 */
export function placedGraph({ flow: { nodes }, graph, tokens }, width) {
  const reached = new Set(graph.nodes.map((node) => nodes[node].position));
  const columns = columnsOf(tokens.length, reached, width - MARGIN.left - MARGIN.right);
  return layOut(nodes, graph, columns, depthOf(nodes[0]));
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
