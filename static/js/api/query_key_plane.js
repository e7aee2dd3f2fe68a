/** Request all queries and keys of one head in one plane. */

import { fetchJson } from "../requests/api_request.js";

/**
 * @typedef {import("./types.js").Schemas["QueryKeyPlaneAnswer"]} PlaneAnswer
 *
 * @typedef {Omit<PlaneAnswer["queries"], "coordinates"> & {coordinates: [number, number][]}} PlaneSide  some tokens of
 *   one side; of a short text all of them
 *
 * @typedef {Omit<PlaneAnswer, "queries" | "keys"> & Record<"queries" | "keys", PlaneSide>} Plane
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
