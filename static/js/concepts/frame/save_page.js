/** Save a concept's page as one file that needs no server, and start from such a file. */

import { askConcept } from "../../api/analyses.js";
import { fetchJson, getPage } from "../../requests/api_request.js";
import { answerFromRecords, askedPaths, recordsIn, requestName, withRecords } from "../../requests/recorded_answers.js";

/** @typedef {import("../../api/types.js").Call} Call */

/**
 * Settings in an offline file; null in a page that has a server.
 * @param {Document} root
 * @returns {{search: string, live: string} | null}
 */
export function offlineSettings(root) {
  if (!root.querySelector("[data-offline]")) return null;
  answerFromRecords(recordsIn(root));
  return JSON.parse(root.querySelector("#config")?.textContent ?? "{}");
}

/**
 * The initial query: the file's own, overridden by that of the address that opened it.
 * @param {{search: string} | null} settings
 * @returns {string}
 */
export function startingQuery(settings) {
  if (!settings) return location.search;
  const query = new URLSearchParams(settings.search);
  for (const [name, value] of new URLSearchParams(location.search)) query.set(name, value);
  return `?${query}`;
}

/**
 * @param {string} stem
 * @param {URLSearchParams} query  the state
 * @param {Call[]} calls  whose answers go into the file
 * @returns {Promise<Blob>}
 */
export async function offlineFile(stem, query, calls) {
  const [page, records] = await Promise.all([getPage(`/offline/${stem}?${query}`), recordAnswers(calls)]);
  return new Blob([withRecords(page, records)], { type: "text/html" });
}

/**
 * The answers to these calls and to the paths the page has requested; failed calls are left out.
 * @param {Call[]} calls
 * @returns {Promise<import("../../requests/recorded_answers.js").Recorded[]>}
 */
async function recordAnswers(calls) {
  /** @type {Map<string, unknown>} */
  const answers = new Map();
  const keep = async (/** @type {string} */ request, /** @type {() => Promise<unknown>} */ ask) => {
    const json = answers.has(request) ? undefined : await ask().catch(() => undefined);
    if (json !== undefined) answers.set(request, json);
  };
  for (const path of askedPaths()) await keep(requestName(path, undefined), () => fetchJson(path, {}));
  for (const call of calls) {
    await keep(requestName(`/api/${call.stem}`, call.body && JSON.stringify(call.body)), () => askConcept(call));
  }
  return [...answers].map(([request, answer]) => ({ request, answer }));
}
