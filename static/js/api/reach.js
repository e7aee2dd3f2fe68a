/** Request for reach: which token really influences which position, after each layer. */

import { fetchJson } from "../requests/api_request.js";
import { decodeBytes } from "../base/decode.js";

/** @typedef {import("./types.js").Schemas["ReachLeakAnswer"]} Leak */
/** @typedef {import("./types.js").Schemas["ReachAnswer"]["case"]} ReachCase  how the text runs */
/** @typedef {{part: string, case: ReachCase, start: number | null}} Asked  start: where the second document or the text begins */

/** Tokens of the longest text that is measured. */
export const MOST_TOKENS = 96;
/** Patches of the largest image that is measured. */
export const MOST_PATCHES = 256;

/**
 * @typedef {object} Reach  row-major: layers × queries × keys
 * @property {[number, number, number]} shape
 * @property {Float32Array} change  the largest change of the query's state; 0: not reached
 * @property {Float32Array} weights  the largest of any head of the layer
 * @property {Uint8Array} may  1 where the masks of the layers so far let the key's token through
 * @property {boolean} exact  whether "not reached" means bit for bit the same
 * @property {Leak[]} leaks
 * @property {number} unused  pairs that may be reached and never are
 * @property {number[]} unknown  keys of which nothing is known: they could not be replaced, or it changed nothing
 * @property {"library" | "ours"} attention  whose ran
 * @property {ReachCase} case
 * @property {import("./types.js").Schemas["StateDeviationAnswer"] | null} deviation  of cached steps from one pass, of
 *   packed documents from each alone
 */

/**
 * @param {string} id
 * @param {Asked} asked
 * @param {AbortSignal} [signal]
 * @returns {Promise<Reach>}
 */
export async function getReach(id, asked, signal) {
  /** @type {import("./types.js").Schemas["ReachAnswer"]} */
  const json = await fetchJson(`/api/analyses/${encodeURIComponent(id)}/reach?${queryOf(asked)}`, { signal });
  const { change, weights, may, exact, leaks, unused, unknown, attention, shape, deviation } = json;
  const floats = (/** @type {typeof change} */ array) => new Float32Array(bytesOf(array).buffer);
  return {
    change: floats(change),
    weights: floats(weights),
    may: bytesOf(may).map((bit) => (bit ? 1 : 0)),
    exact,
    leaks,
    unused: unused.length,
    attention,
    shape: /** @type {[number, number, number]} */ (shape),
    case: json.case,
    deviation,
    unknown,
  };
}

/**
 * How far the same request has come.
 * @param {{id: string, asked: Asked}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Schemas["ReachProgress"]>}
 */
export async function getReachProgress({ id, asked }, signal) {
  return fetchJson(`/api/analyses/${encodeURIComponent(id)}/reach/progress?${queryOf(asked)}`, { signal });
}

/** @param {Asked} asked */
function queryOf({ part, case: how, start }) {
  return new URLSearchParams({ part, case: how, ...(start !== null && { start: String(start) }) });
}

/** @param {unknown} array  encoded, as it is unless asked for otherwise */
function bytesOf(array) {
  return decodeBytes(/** @type {import("../base/decode.js").EncodedArray} */ (array).bdata);
}
