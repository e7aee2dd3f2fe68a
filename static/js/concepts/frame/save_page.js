/** Save a concept's page as one file that needs no server, and start from such a file. */

import { askConcept } from "../../api/analyses.js";
import { fetchJson, getPage } from "../../requests/api_request.js";
import { answerFromPackedRecords, askedPaths, requestName, withRecords } from "../../requests/recorded_answers.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Call} Call */

/**
 * Answers that a page computes by itself in a saved file, by the stem of the call: the same numbers as the server's.
 * A function returns null for what it does not compute.
 * @typedef {{[stem: string]: (body: never) => unknown}} Computes
 */

/**
 * Settings in an offline file; null in a page that has a server.
 * @param {Document} root
 * @param {Computes} [computes]
 * @returns {{search: string, live: string} | null}
 */
export function offlineSettings(root, computes = {}) {
  if (!root.querySelector("[data-offline]")) return null;
  answerFromPackedRecords(root, (request) => computed(request, computes));
  return JSON.parse(root.querySelector("#config")?.textContent ?? "{}");
}

/**
 * @param {string} request  "/api/<stem> {…}"
 * @param {Computes} computes
 * @returns {{answer: unknown} | {missing: string} | null}
 */
export function computed(request, computes) {
  const [, stem, body] = /^\/api\/(\S+) (.*)$/s.exec(request) ?? [];
  const compute = Object.hasOwn(computes, stem ?? "") ? computes[stem] : null;
  const answer = compute?.(/** @type {never} */ (JSON.parse(body))) ?? null;
  if (answer !== null) return { answer };
  return compute
    ? { missing: t("This file computes most of the page by itself, but not this. Open the live page for it.") }
    : null;
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
 * @param {object} [more]
 * @param {import("../../requests/recorded_answers.js").Recorded[]} [more.held]  what it holds beside them
 * @param {{[stem: string]: readonly string[]}} [more.undrawn]  fields of answers that it leaves out
 * @returns {Promise<Blob>}
 */
export async function offlineFile(stem, query, calls, { held = [], undrawn = {} } = {}) {
  const [page, records] = await Promise.all([getPage(`/offline/${stem}?${query}`), recordAnswers(calls, undrawn)]);
  return new Blob([await withRecords(page, [...records, ...held])], { type: "text/html" });
}

/**
 * The answers to these calls and to the paths the page has requested; failed calls are left out.
 * @param {Call[]} calls
 * @param {{[stem: string]: readonly string[]}} undrawn
 * @returns {Promise<import("../../requests/recorded_answers.js").Recorded[]>}
 */
async function recordAnswers(calls, undrawn) {
  /** @type {Map<string, unknown>} */
  const answers = new Map();
  const keep = async (/** @type {string} */ request, /** @type {() => Promise<unknown>} */ ask) => {
    const json = answers.has(request) ? undefined : await ask().catch(() => undefined);
    if (json !== undefined) answers.set(request, json);
  };
  for (const path of askedPaths()) await keep(requestName(path, undefined), () => fetchJson(path, {}));
  for (const call of calls) {
    const name = requestName(`/api/${call.stem}`, call.body && JSON.stringify(call.body));
    await keep(name, async () => without(await askConcept(call), undrawn[call.stem] ?? []));
  }
  return [...answers].map(([request, answer]) => ({ request, answer }));
}

/** @param {object} answer @param {readonly string[]} fields */
function without(answer, fields) {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !fields.includes(name)));
}
