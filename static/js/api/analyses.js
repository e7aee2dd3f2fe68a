/** Requests about analyses and concepts, one function each. Errors are those of `requests/api_request.js`. */

import { ApiError, fetchJson, postJson, reach } from "../requests/api_request.js";
import { withRequestOf } from "../requests/sent_requests.js";
import { decodeWindow } from "../base/decode.js";
import { t } from "../base/i18n.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../base/decode.js").Matrix} Matrix */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").WindowRequest} WindowRequest */

/** Prefix of the ids of uploaded tensors, which may take the place of a model's id. */
const UPLOADED = "tensors-";

/**
 * Whether this id is that of uploaded tensors rather than of a model.
 * @param {string} model
 * @returns {boolean}
 */
export function isUploaded(model) {
  return model.startsWith(UPLOADED);
}

/**
 * Whether the weights are those that a model's own attention returned, so that nothing else of it is known.
 * @param {Pick<import("./types.js").Analysis, "model">} analysis
 * @returns {boolean}
 */
export function isWeightsOnly({ model }) {
  return typeof model !== "string" && model.support === "weights_only";
}

/**
 * @param {AnalysisRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
export async function postAnalysis(request, signal) {
  if (isUploaded(request.model)) return getUploaded(request, signal);
  return completeParts(await postJson("/api/analyses", request, signal));
}

/**
 * @param {AnalysisRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
async function getUploaded(request, signal) {
  if ("interventions" in request) {
    const message = t("No model ran here on uploaded tensors, so nothing can be changed inside it.");
    throw new ApiError(message, { code: "not_possible" });
  }
  return getAnalysis(request.model, signal);
}

/**
 * @param {{model: string, image: string, parity?: boolean, interventions?: object[]}} request  `image`: in base64
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
export async function postImage(request, signal) {
  return completeParts(await postJson("/api/analyses/image", request, signal));
}

/**
 * @param {{model: string, sound: string, target_text?: string, transcribe?: boolean, parity?: boolean,
 *   interventions?: object[]}} request  `sound`: a WAV file in base64
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
export async function postSound(request, signal) {
  return completeParts(await postJson("/api/analyses/sound", request, signal));
}

/**
 * The sound of an analysis, as a WAV file.
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Blob>}
 */
export async function getSound(id, signal) {
  return (await reach(`/api/analyses/${encodeURIComponent(id)}/sound`, { signal })).blob();
}

/**
 * A cached analysis.
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
export async function getAnalysis(id, signal) {
  return completeParts(await fetchJson(`/api/analyses/${encodeURIComponent(id)}`, { signal }));
}

/**
 * @param {Blob} file  npz, safetensors or JSON
 * @param {AbortSignal} [signal]
 * @returns {Promise<Analysis>}
 */
export async function postTensors(file, signal) {
  const headers = { "Content-Type": "application/octet-stream" };
  return completeParts(await fetchJson("/api/tensors", { method: "POST", body: file, headers, signal }));
}

/**
 * @param {string} id
 * @param {WindowRequest} window
 * @param {AbortSignal} [signal]
 * @returns {Promise<Matrix>}
 */
export async function getWindow(id, window, signal) {
  const query = windowQuery(window);
  return decodeWindow(await fetchJson(`/api/analyses/${encodeURIComponent(id)}/weights?${query}`, { signal }));
}

/**
 * @param {string} id
 * @param {WindowRequest} window
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Distribution>}
 */
export async function getDistribution(id, window, signal) {
  const query = windowQuery({ ...window, rows: undefined, cols: undefined, maxSize: undefined });
  return fetchJson(`/api/analyses/${encodeURIComponent(id)}/distribution?${query}`, { signal });
}

/**
 * @param {string} id
 * @param {{part: string, layer: number, head: number, query: number, key: number}} at
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Schemas["VectorsAnswer"]>}
 */
export async function getVectors(id, at, signal) {
  return fetchJson(vectorsPath(id, at), { signal });
}

/**
 * @param {string} id
 * @param {{part: string, layer: number, head: number, query: number, key: number}} at
 * @returns {string}
 */
export function vectorsPath(id, at) {
  const query = new URLSearchParams(Object.entries(at).map(([name, value]) => [name, String(value)]));
  return `/api/analyses/${encodeURIComponent(id)}/vectors?${query}`;
}

/**
 * @param {string} id
 * @param {{side: string, index: number, count: number, hide_special: boolean, words: boolean}} token
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").TokenReads>}
 */
export async function getTokenReads(id, { index, ...wanted }, signal) {
  const query = new URLSearchParams(Object.entries(wanted).map(([name, value]) => [name, String(value)]));
  return fetchJson(`/api/analyses/${encodeURIComponent(id)}/tokens/${index}?${query}`, { signal });
}

/**
 * Scores of all heads on repeated random tokens.
 * @param {string} model
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").HeadScores>}
 */
export async function getHeadScores(model, signal) {
  return fetchJson(headScoresPath(model), { signal });
}

/** @param {string} model */
export function headScoresPath(model) {
  return `/api/head_scores?${new URLSearchParams({ model })}`;
}

/**
 * Calls a concept's route: with POST, or with GET if there is no body.
 * @template {import("./types.js").Stem} S
 * @param {import("./types.js").Call<S>} call
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").AnswerTo<S>>}
 */
export async function askConcept(call, signal) {
  const { method, path, body } = requestOfCall(call);
  const headers = body === null ? undefined : { "Content-Type": "application/json" };
  return fetchJson(path, { method, body, headers, signal });
}

/**
 * What is sent for a call of a concept's route.
 * @param {import("./types.js").Call} call
 * @returns {import("../requests/sent_requests.js").SentRequest}
 */
export function requestOfCall({ stem, body }) {
  const path = `/api/${stem}`;
  return body ? { method: "POST", path, body: JSON.stringify(body) } : { method: "GET", path, body: null };
}

/**
 * @typedef {object} Difference
 * @property {Matrix} matrix  second − first, of one head; pooled to the largest of any sign
 * @property {number[][]} largest  by layer and head: the largest change of any weight
 */

/**
 * @param {string} first  id of an analysis
 * @param {string} second
 * @param {WindowRequest} window  of the first
 * @param {{layer: number, head: number}} head  of the second
 * @param {AbortSignal} [signal]
 * @returns {Promise<Difference>}
 */
export async function getDifference(first, second, window, head, signal) {
  const query = windowQuery(window);
  query.set("other", second);
  query.set("other_layer", String(head.layer));
  query.set("other_head", String(head.head));
  /** @type {import("./types.js").Schemas["DifferenceAnswer"]} */
  const json = await fetchJson(`/api/analyses/${encodeURIComponent(first)}/difference?${query}`, { signal });
  return { matrix: decodeWindow(json), largest: json.largest };
}

/** @typedef {import("./types.js").Schemas["PredictionDifferenceAnswer"]} PredictionDifference */

/**
 * What two analyses predict, over their whole distributions.
 * @param {string} first  id of an analysis
 * @param {string} second
 * @param {AbortSignal} [signal]
 * @returns {Promise<PredictionDifference>}
 */
export async function getPredictionDifference(first, second, signal) {
  const query = new URLSearchParams({ other: second });
  return fetchJson(`/api/analyses/${encodeURIComponent(first)}/prediction_difference?${query}`, { signal });
}

/**
 * The first part's thumbnails and metrics are at the top level of the answer; further parts have their own.
 * @param {import("./types.js").AnalysisJson} json
 * @returns {Analysis}
 */
export function completeParts(json) {
  const { overview, metrics, heads, kv_heads, causal } = json;
  const common = { overview, metrics, heads, kv_heads, causal };
  const sides = { query_side: /** @type {const} */ ("source"), key_side: /** @type {const} */ ("source") };
  const parts = json.parts.map((part) => {
    const given = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
    return /** @type {Part} */ ({ ...common, ...sides, ...Object.fromEntries(given) });
  });
  return withRequestOf({ ...json, parts }, json);
}

/** @param {WindowRequest} window */
function windowQuery({ part, layer, head, stage, rows, cols, maxSize }) {
  const query = new URLSearchParams({ part, layer: String(layer), head: String(head), stage });
  if (rows) query.set("rows", rows.join(":"));
  if (cols) query.set("cols", cols.join(":"));
  if (maxSize) query.set("max_size", String(maxSize));
  return query;
}
