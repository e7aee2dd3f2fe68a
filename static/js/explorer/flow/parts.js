/** The parts of one node as a list, the predictions from it, and what can be done with the chosen part. */

import { el, fill, keepingFocus, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";
import { fixed } from "../../base/numbers.js";
import { piecesById } from "../../wording/labels.js";
import { spokenName, tokenName } from "../../wording/token_name.js";
import { shareItem } from "../widgets/share_list.js";
import { partsOf } from "./graph.js";
import { kindClass } from "./graph_picture.js";
import { edgeName, nodeWords, shareText } from "./words.js";

/** @typedef {import("./flow.js").FlowData} FlowData */
/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/information_flow.js").FlowNode} FlowNode */

/**
 * @typedef {object} PartsOptions
 * @property {(node: number) => void} onNode
 * @property {(edge: FlowEdge) => void} onEdge
 * @property {(edge: FlowEdge) => void} onOpen  in the matrix
 * @property {(edge: FlowEdge | null) => void} onPoint
 */

/**
 * @param {HTMLElement} element
 * @param {FlowData} data
 * @param {PartsOptions} options
 * @returns {import("../../base/mount.js").View<FlowData>}
 */
export function partsView(element, data, { onNode, onEdge, onOpen, onPoint }) {
  let current = data;
  const open = smallButton(t("Open in Matrix"), () => current.edge && onOpen(current.edge));
  const down = smallButton(t("Follow down"), () => current.edge && onNode(current.edge.source));
  const back = smallButton(t("To the output"), () => onNode(0));
  const title = el("h3", { class: "flow-title" });
  const candidates = el("div", { class: "flow-candidates" });
  const list = el("ul", { class: "reads flow-list", "aria-label": t("Parts of this node") });
  const rest = el("p", { class: "note flow-rest" });
  const actions = el(
    "div",
    { class: "flow-actions", role: "group", "aria-label": t("Selected part") },
    open,
    down,
    back,
  );
  fill(element, title, candidates, actions, list, rest);

  /** @param {FlowData} next */
  function draw(next) {
    current = next;
    const { flow, graph, tokens, numbering, node, edge } = next;
    const chosen = flow.nodes[node];
    const parts = partsOf(graph, node);
    fill(title, ...nodeWords(chosen, tokens, numbering));
    fill(candidates, ...predicted(chosen));
    const items = parts.map((part, key) =>
      shareItem({
        name: [sample(part), edgeName(part, numbering), " ", ...sourceOf(part, next)],
        value: shareText(part.importance),
        share: part.importance,
        kind: `is-${kindClass(part.kind)}`,
        key,
        isChosen: part === edge,
        onPick: () => onEdge(part),
        onPoint: (isIn) => onPoint(isIn ? part : null),
      }),
    );
    keepingFocus(element, () => fill(list, ...items));
    fill(rest, restOf(chosen, parts, graph.threshold));
    open.disabled = edge?.kind !== "head";
    down.disabled = edge === null;
    back.disabled = node === 0 && edge === null;
  }

  return drawnView(element, data, draw);
}

/** @param {FlowEdge} edge @param {FlowData} data */
function sourceOf({ kind, source }, { flow, tokens, numbering }) {
  if (kind !== "head") return [];
  return spokenName(tokens[flow.nodes[source].position], numbering, { class: "is-key" });
}

/** @param {FlowEdge} edge */
function sample({ kind }) {
  return el("span", { class: `flow-sample is-${kindClass(kind)}`, "aria-hidden": "true" });
}

/** What a decoder would predict from here. @param {FlowNode} node */
function predicted({ candidates }) {
  if (candidates.length === 0) return [];
  const nameOf = piecesById(candidates);
  const chips = candidates.map(({ id, probability }) =>
    el(
      "span",
      { class: "output-chip" },
      tokenName(nameOf(id)),
      el("span", { class: "output-share" }, fixed(probability, 3)),
    ),
  );
  return [el("span", { class: "note" }, t("Logit lens from here:")), ...chips];
}

/**
 * What is left to 1.
 * @param {FlowNode} node
 * @param {FlowEdge[]} parts
 * @param {number} threshold
 */
function restOf({ station, bias }, parts, threshold) {
  if (station === "embedding") return t("The embedding of the token (with its position): here the routes begin.");
  const listed = parts.reduce((sum, { importance }) => sum + importance, 0);
  const rest = { bias: shareText(bias), rest: shareText(Math.max(0, 1 - listed - bias)), threshold: String(threshold) };
  return t("Biases: {bias}. Parts below the threshold, together: {rest}. All parts add up to 1.", rest);
}
