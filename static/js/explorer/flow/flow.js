/** The graph of information flow with what is pointed at and chosen in it. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { changes } from "../../base/mount.js";
import { whenSized } from "../../base/theme/paper.js";
import { apartLabel } from "../../wording/token_apart.js";
import { createDrawing } from "./drawing.js";
import { edgeWords, nodeWords } from "./words.js";

/** @typedef {import("../../api/information_flow.js").InformationFlow} InformationFlow */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./graph.js").Graph} Graph */
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

/**
 * @param {HTMLElement} element
 * @param {FlowData} data
 * @param {FlowOptions} options
 * @returns {import("../../base/mount.js").View<FlowData>}
 */
export function flowView(element, data, options) {
  const drawing = createDrawing(Boolean(options.onOutput));
  const { picture } = drawing;
  const readout = el("p", { class: "flow-readout" });
  fill(element, drawing.element, readout);
  let current = data;
  /** @type {Hit | null} */
  let hit = null;
  const stop = new AbortController();
  const { signal } = stop;
  const stopSizing = whenSized(element, draw);
  picture.addEventListener("pointermove", (event) => point(drawing.hitBy(event, current.flow)), { signal });
  picture.addEventListener("pointerleave", () => point(null), { signal });
  picture.addEventListener("click", (event) => pick(drawing.hitBy(event, current.flow), options), { signal });

  /** @param {Hit | null} next */
  function point(next) {
    const isSame = JSON.stringify(next) === JSON.stringify(hit);
    hit = next;
    picture.classList.toggle("is-hit", hit !== null);
    if (isSame) return;
    options.onPoint(hit && "edge" in hit ? hit.edge : null);
    mark();
  }

  function draw() {
    if (element.clientWidth === 0) return;
    drawing.draw(current, element.clientWidth);
    picture.setAttribute("aria-label", spoken(current));
    mark();
  }

  function mark() {
    const standing = drawing.mark(current, hit);
    if (standing) fill(readout, ...readoutOf(current, hit, standing.over));
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
