/** Requests about a set of prompts: its measures, and weights over aligned positions. */

import { decodeMatrix } from "../base/decode.js";
import { ApiError, fetchJson, postJson } from "../requests/api_request.js";

/** @typedef {import("../base/decode.js").Matrix} Matrix */

/** @typedef {import("./types.js").Schemas["PromptsAnswer"]} Prompts */

/** @typedef {import("./types.js").Schemas["PromptMeasuresAnswer"]} PromptMeasures */

/** @typedef {import("./types.js").Schemas["MeasureSummaryAnswer"]} MeasureSummary */

/** @typedef {import("./types.js").Schemas["PromptValuesAnswer"]} PromptValues */

/** @typedef {import("./types.js").Schemas["PromptCellAnswer"]} PromptCell */

/** @typedef {import("./types.js").Schemas["PromptAnswersAnswer"]} PromptAnswers */

/** @typedef {import("./types.js").Schemas["PromptWeightsAnswer"]} WeightsJson */

/** @typedef {WeightsJson["positions"][number]} AlignedPosition */

/** @typedef {WeightsJson["align"]} AlignmentRule */

/** @typedef {"direct_effect" | "attribution"} Effect  of the heads on the expected token */

/**
 * @typedef {Omit<WeightsJson, "mean" | "deviation" | "counts" | "allowed"> & Record<"mean" | "deviation" | "counts" | "allowed", Matrix>} PromptWeights
 */

/**
 * @param {object} request  as the API takes it
 * @param {AbortSignal} [signal]
 * @returns {Promise<Prompts>}
 */
export async function postPrompts(request, signal) {
  return postJson("/api/prompts", request, signal);
}

/**
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Schemas["PromptsProgress"]>}
 */
export async function getPromptsProgress(id, signal) {
  return fetchJson(`/api/prompts/${encodeURIComponent(id)}/progress`, { signal });
}

/**
 * @param {string} id
 * @param {{part: string, effect?: Effect}} of  with an effect: it too
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptMeasures>}
 */
export async function getPromptMeasures(id, of, signal) {
  return fetchJson(pathOf(id, "measures", of), { signal });
}

/**
 * @param {string} id
 * @param {{part: string, effect?: Effect, layer: number, head: number}} selection
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptValues>}
 */
export async function getPromptValues(id, selection, signal) {
  return fetchJson(pathOf(id, "values", selection), { signal });
}

/**
 * @param {string} id
 * @param {null} _question
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptAnswers>}
 */
export async function getPromptAnswers(id, _question, signal) {
  return fetchJson(`/api/prompts/${encodeURIComponent(id)}/answers`, { signal });
}

/**
 * @param {string} id
 * @param {{part: string, layer: number, head: number, align: AlignmentRule}} selection
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptWeights>}
 */
export async function getPromptWeights(id, selection, signal) {
  /** @type {WeightsJson} */
  const json = await fetchJson(pathOf(id, "weights", selection), { signal });
  const [mean, deviation, counts, allowed] = [json.mean, json.deviation, json.counts, json.allowed].map(whole);
  return { ...json, mean, deviation, counts, allowed };
}

/**
 * @param {string} id
 * @param {{part: string, query: number, key: number, align: AlignmentRule, layer?: number, head?: number}} cell  with a head: its values too
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptCell>}
 */
export async function getPromptCell(id, cell, signal) {
  return fetchJson(pathOf(id, "cell", cell), { signal });
}

/**
 * Asks about a set, and posts it again if the server no longer has it: it has the same id then.
 * @template T
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} question
 * @returns {Promise<T>}
 */
export async function askAgain(request, signal, question) {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "prompts_expired") throw error;
    await postPrompts(request, signal);
    return question();
  }
}

/**
 * @param {string} id
 * @param {string} name
 * @param {Record<string, string | number | undefined>} question
 */
function pathOf(id, name, question) {
  const parameters = Object.entries(question).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(parameters.map(([key, value]) => [key, String(value)]));
  return `/api/prompts/${encodeURIComponent(id)}/${name}?${query}`;
}

/**
 * @param {WeightsJson["mean"]} encoded
 * @returns {Matrix}
 */
function whole(encoded) {
  const { values, height, width } = decodeMatrix(encoded);
  return { values, height, width, rows: [0, height], cols: [0, width], cellRows: 1, cellCols: 1 };
}
