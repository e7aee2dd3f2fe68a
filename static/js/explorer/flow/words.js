/** Names of the nodes and edges of a graph of information flow. */

import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { headCode } from "../../wording/labels.js";
import { numberedName } from "../../wording/token_name.js";

/** @typedef {import("../../api/information_flow.js").FlowEdge} FlowEdge */
/** @typedef {import("../../api/information_flow.js").FlowNode} FlowNode */
/** @typedef {import("../../api/types.js").Token} Token */

/**
 * @param {Pick<FlowNode, "layer" | "station">} node
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function stationName({ layer, station }, numbering) {
  const values = { layer: layer + numbering };
  return {
    embedding: t("embedding"),
    after_attention: t("after the attention of layer {layer}", values),
    after_feed_forward: t("after layer {layer}", values),
    after_block: t("after layer {layer}", values),
  }[station];
}

/**
 * @param {FlowEdge} edge
 * @param {0 | 1} numbering
 * @returns {string}
 */
export function edgeName({ kind, layer, head }, numbering) {
  if (kind === "head") return headCode(layer, head ?? 0, numbering);
  if (kind === "residual") return t("residual stream");
  return t("feed-forward of layer {layer}", { layer: layer + numbering });
}

/**
 * @param {FlowEdge["kind"]} kind
 * @returns {string}
 */
export function kindName(kind) {
  return { head: t("head"), residual: t("residual stream"), feed_forward: t("feed-forward layer") }[kind];
}

/** An importance, with a digit that is not 0. @param {number} importance */
export function shareText(importance) {
  if (importance < 0.0005) return importance > 0 ? "<0.001" : "0";
  return fixed(importance, importance < 0.0995 ? 3 : 2);
}

/**
 * “L4 H7: cat 2 → it 8, 0.31 of this node”.
 * @param {FlowEdge} edge
 * @param {readonly FlowNode[]} nodes
 * @param {readonly Token[]} tokens
 * @param {0 | 1} numbering
 * @returns {(Node | string)[]}
 */
export function edgeWords(edge, nodes, tokens, numbering) {
  const name = (/** @type {number} */ node, /** @type {string} */ side) =>
    numberedName(tokens[nodes[node].position], numbering, { class: side });
  const share = t("{share} of this node", { share: shareText(edge.importance) });
  const ends =
    edge.kind === "head"
      ? [...name(edge.source, "is-key"), " → ", ...name(edge.target, "is-query")]
      : name(edge.target, "is-query");
  return [`${edgeName(edge, numbering)}: `, ...ends, `, ${share}`];
}

/**
 * @param {FlowNode} node
 * @param {readonly Token[]} tokens
 * @param {0 | 1} numbering
 * @returns {(Node | string)[]}
 */
export function nodeWords(node, tokens, numbering) {
  return [...numberedName(tokens[node.position], numbering, { class: "is-query" }), ` ${stationName(node, numbering)}`];
}
