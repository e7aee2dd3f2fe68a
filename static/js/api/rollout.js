/** Requests about attention chained over layers: rollout and flow. */

import { fetchJson } from "../requests/api_request.js";
import { decodeMatrix } from "../base/decode.js";

/** @typedef {import("../base/decode.js").Matrix} Matrix */

/**
 * @typedef {object} RolloutLayers  of one query
 * @property {Float32Array} rollout  layers × tokens: how the query is mixed from the input tokens after each layer
 * @property {Float32Array} means  layers × tokens: the mean over heads of each layer's weights
 * @property {number} maxWhole  tokens of the longest text whose whole rollout is computed
 * @property {number} maxFlow  tokens of the longest text whose flow is computed
 */

/**
 * @param {string} id
 * @param {{part: string, query: number}} selection
 * @param {AbortSignal} [signal]
 * @returns {Promise<RolloutLayers>}
 */
export async function getRolloutLayers(id, selection, signal) {
  /** @type {import("./types.js").Schemas["RolloutLayersAnswer"]} */
  const json = await fetchJson(`${path(id)}/rollout/layers?${queryOf(selection)}`, { signal });
  return {
    rollout: decodeMatrix(json.rollout).values,
    means: decodeMatrix(json.mean_weights).values,
    maxWhole: json.max_whole_tokens,
    maxFlow: json.max_flow_tokens,
  };
}

/**
 * The rollout of all queries.
 * @param {string} id
 * @param {{part: string, layer: number}} selection
 * @param {AbortSignal} [signal]
 * @returns {Promise<Matrix>}
 */
export async function getRollout(id, selection, signal) {
  /** @type {import("./types.js").Schemas["RolloutAnswer"]} */
  const json = await fetchJson(`${path(id)}/rollout?${queryOf(selection)}`, { signal });
  const { values, height, width } = decodeMatrix(json.matrix);
  return { values, height, width, rows: [0, height], cols: [0, width], cellRows: 1, cellCols: 1 };
}

/**
 * The most that can flow from one query down to each token.
 * @param {string} id
 * @param {{part: string, layer: number, query: number}} selection
 * @param {AbortSignal} [signal]
 * @returns {Promise<Float32Array>}
 */
export async function getFlow(id, selection, signal) {
  /** @type {import("./types.js").Schemas["FlowAnswer"]} */
  const json = await fetchJson(`${path(id)}/flow?${queryOf(selection)}`, { signal });
  return Float32Array.from(json.flows);
}

/** @param {string} id */
function path(id) {
  return `/api/analyses/${encodeURIComponent(id)}`;
}

/** @param {Record<string, string | number>} selection */
function queryOf(selection) {
  return new URLSearchParams(Object.entries(selection).map(([name, value]) => [name, String(value)]));
}
