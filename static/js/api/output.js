/** Requests about one output of a model: its logit lens, direct effects and attribution. */

import { fetchJson } from "../requests/api_request.js";
import { decodeMatrix } from "../base/decode.js";

/** @typedef {import("./types.js").Candidate} Candidate */

/** @typedef {import("./types.js").Schemas["OutputAnswer"]} Output */

/** @typedef {Output["looks"][number]} Look */

/** @typedef {import("./types.js").Schemas["LogitLensAnswer"]} LogitLens */

/** @typedef {LogitLens["states"][number]} LensState */

/** @typedef {import("./types.js").Schemas["DirectEffectAnswer"]} DirectEffect */

/** @typedef {import("./types.js").Schemas["AttributionAnswer"]} AttributionJson */

/**
 * @typedef {Omit<AttributionJson, "matrix"> & {matrix: import("../base/decode.js").Matrix | null, heldFor?: {layer: number,
 *   head: number}}} Attribution  of all heads, and the matrix of one; null where a file has only that of `heldFor`
 */

/**
 * @typedef {Record<string, string | number | null>} Question  null: left to the server
 */

/**
 * @param {string} id  of the analysis
 * @param {{position: number}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<Output>}
 */
export async function getOutput(id, question, signal) {
  return ask(id, "output", question, signal);
}

/**
 * @param {string} id
 * @param {{position: number, token: number}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<LogitLens>}
 */
export async function getLogitLens(id, question, signal) {
  return ask(id, "logit_lens", question, signal);
}

/**
 * @param {string} id
 * @param {{position: number, token: number, against: number | null}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<DirectEffect>}
 */
export async function getDirectEffect(id, question, signal) {
  return ask(id, "direct_effect", question, signal);
}

/**
 * @param {string} id
 * @param {{position: number | null, token: number | null, against: number | null, part: string, layer: number, head: number}} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<Attribution>}
 */
export async function getAttribution(id, question, signal) {
  return decodeAttribution(await getAttributionJson(id, question, signal));
}

/**
 * The same as it comes, for a file.
 * @param {string} id
 * @param {Question} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<AttributionJson>}
 */
export async function getAttributionJson(id, question, signal) {
  return ask(id, "attribution", question, signal);
}

/**
 * @param {AttributionJson} json
 * @returns {Attribution}
 */
function decodeAttribution({ matrix, ...rest }) {
  if (matrix === null) return { ...rest, matrix };
  const cells = decodeMatrix(matrix ?? []);
  return { ...rest, matrix: { ...cells, rows: [0, cells.height], cols: [0, cells.width], cellRows: 1, cellCols: 1 } };
}

/**
 * @template A
 * @param {string} id
 * @param {string} name
 * @param {Question} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<A>}
 */
function ask(id, name, question, signal) {
  return fetchJson(outputPath(id, name, question), { signal });
}

/**
 * @param {string} id
 * @param {string} name  output, or one of its looks
 * @param {Question} question
 * @returns {string}
 */
export function outputPath(id, name, question) {
  const given = Object.entries(question).filter(([, value]) => value !== null);
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  return `/api/analyses/${encodeURIComponent(id)}/${name}?${query}`;
}
