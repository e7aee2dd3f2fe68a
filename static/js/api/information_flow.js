/** The request for the graph of information flow: what made one output, by head, source token and layer. */

import { fetchJson } from "../requests/api_request.js";

/** @typedef {import("./types.js").Schemas["InformationFlowAnswer"]} InformationFlow */
/** @typedef {InformationFlow["nodes"][number]} FlowNode */
/** @typedef {InformationFlow["edges"][number]} FlowEdge */

/**
 * @param {string} id  of the analysis
 * @param {{position: number}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<InformationFlow>}
 */
export async function getInformationFlow(id, question, signal) {
  return fetchJson(informationFlowPath(id, question), { signal });
}

/**
 * @param {string} id
 * @param {{position: number}} question
 */
export function informationFlowPath(id, { position }) {
  return `/api/analyses/${encodeURIComponent(id)}/information_flow?${new URLSearchParams({ position: String(position) })}`;
}
