/** All queries and keys of one head in one plane, as the server computes them. */

import { fetchJson } from "../requests/api_request.js";

/**
 * @typedef {object} PlaneSide  some tokens of one side; of a short text all of them
 * @property {number[]} indices  ascending
 * @property {[number, number][]} coordinates
 * @property {number[][]} partner_indices  of a query the keys it reads most, of a key its strongest readers
 * @property {number[][]} partner_weights
 *
 * @typedef {object} Plane
 * @property {number} kv_head
 * @property {PlaneSide} queries
 * @property {PlaneSide} keys
 * @property {[number, number]} explained  share of the variance along each axis
 * @property {number} factor  by which queries were multiplied and keys divided
 * @property {[number, number]} shift  of all keys
 * @property {[number, number]} origin  where the zero vector lies
 * @property {("bias" | "mask" | "change")[]} beside  what is in no vector and decides the weights too
 *
 * @typedef {object} PlaneRequest
 * @property {string} part
 * @property {number} layer
 * @property {number} head
 * @property {boolean} hide_special
 * @property {number} max_tokens
 * @property {number} [query]  in the sample in any case
 * @property {number} [key]
 */

/**
 * @param {string} id
 * @param {PlaneRequest} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<Plane>}
 */
export async function getQueryKeyPlane(id, wanted, signal) {
  const query = new URLSearchParams(Object.entries(wanted).map(([name, value]) => [name, String(value)]));
  return fetchJson(`/api/analyses/${encodeURIComponent(id)}/query_key_plane?${query}`, { signal });
}
