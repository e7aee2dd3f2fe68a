/** Requests about atlases: heads measured over a whole corpus. */

import { fetchJson, postJson } from "../requests/api_request.js";
import { noteAsked } from "../requests/recorded_answers.js";

/** @typedef {import("./types.js").Schemas} Schemas */
/** @typedef {Schemas["AtlasFactsAnswer"]} AtlasFacts */
/** @typedef {Schemas["AtlasList"]} AtlasList */
/** @typedef {Schemas["ScanAnswer"]} ScanState */
/** @typedef {import("./types.js").Body<"atlases">} ScanRequest */
/** @typedef {Schemas["CorpusAnswer"]} Corpus */
/** @typedef {Schemas["HeadsAnswer"]} Heads */
/** @typedef {Heads["relations"][number]} RelationOfHeads */
/** @typedef {Schemas["PortraitAnswer"]} Portrait */
/** @typedef {Portrait["windows"][string]} AtlasWindow */
/** @typedef {Schemas["SearchAnswer"]} Found */
/** @typedef {Schemas["ComparisonAnswer"]} Comparison */
/** @typedef {Schemas["CircuitsAnswer"]} Circuits */
/** @typedef {import("./types.js").Listed<Schemas["CompositionAnswer"]>} Composition  its matrices as lists */
/** @typedef {{part: string, layer: number, head: number}} HeadAt */

const ROOT = "/api/atlases";

/** @param {string} id */
const pathOf = (id) => `${ROOT}/${encodeURIComponent(id)}`;

/** @param {Record<string, string | number>} parameters */
const queryOf = (parameters) =>
  new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

export const listPath = () => ROOT;

/** @param {string} id */
export const headsPath = (id) => `${pathOf(id)}/heads`;

/** @param {string} id @param {HeadAt} at */
export const portraitPath = (id, { part, layer, head }) => `${pathOf(id)}/heads/${layer}/${head}?${queryOf({ part })}`;

/** @param {string} id @param {HeadAt & {by: string, limit: number, analysis: string, query: number, key: number}} cell */
export const searchPath = (id, cell) => `${pathOf(id)}/search?${queryOf(cell)}`;

/** @param {string} id @param {string} other */
export const comparisonPath = (id, other) => `${pathOf(id)}/comparison?${queryOf({ other })}`;

/** @param {string} id  the folder as a zip */
export const exportPath = (id) => `${pathOf(id)}/export`;

/**
 * What a path of this module answers; a saved page holds it.
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export async function getOfAtlas(path, signal) {
  const answer = await fetchJson(path, { signal });
  noteAsked(path);
  return answer;
}

/**
 * Starts a scan, or takes a cancelled one up again.
 * @param {ScanRequest} scan
 * @returns {Promise<ScanState>}
 */
export async function postScan(scan) {
  return postJson(ROOT, scan);
}

/** @param {string} id */
export async function deleteAtlas(id) {
  return fetchJson(pathOf(id), { method: "DELETE" });
}

/** @param {File} file @param {string} column  where it has the texts; "" where it says so itself @returns {Promise<Corpus>} */
export async function postCorpus(file, column) {
  const headers = { "Content-Type": "application/octet-stream" };
  return fetchJson(`/api/corpora?${queryOf({ name: file.name, ...(column && { column }) })}`, {
    method: "POST",
    body: file,
    headers,
  });
}

/** @param {string} id */
export async function deleteCorpus(id) {
  return fetchJson(`/api/corpora/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** @param {{model: string, layer: number, head: number, token: string}} of */
export function circuitsPath({ token, ...of }) {
  return `/api/circuits?${queryOf({ ...of, ...(token && { token }) })}`;
}

/** @param {string} model */
export const compositionPath = (model) => `/api/circuits/composition?${queryOf({ model })}`;
