/** A page that needs no server: saving one, and being one. */

import { askConcept } from "../../api/analyses.js";
import { fetchJson, getPage } from "../../requests/api_request.js";
import { askedPaths, carryAnswers, nameOf } from "../../requests/recorded_answers.js";

/** @typedef {import("./latest_answer.js").Call} Call */

/**
 * What the server wrote into an offline file; null in a page that has a server.
 * @param {Document} root
 * @returns {{search: string, live: string} | null}
 */
export function offlineSettings(root) {
  if (!root.querySelector("[data-offline]")) return null;
  const answers = root.querySelector("#recorded")?.textContent ?? "{}";
  carryAnswers(JSON.parse(answers));
  return JSON.parse(root.querySelector("#config")?.textContent ?? "{}");
}

/**
 * The query that a page begins with: the file's own, and over it what stands in the address that opened it.
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
  const [page, answers] = await Promise.all([getPage(`/offline/${stem}?${query}`), recordAnswers(calls)]);
  return new Blob([withAnswers(page, answers)], { type: "text/html" });
}

/**
 * The answers to these calls, and to what the page asks for besides; a call that fails is left out.
 * @param {Call[]} calls
 * @returns {Promise<Record<string, any>>}
 */
async function recordAnswers(calls) {
  /** @type {Record<string, any>} */
  const answers = {};
  const keep = async (/** @type {string} */ name, /** @type {() => Promise<any>} */ ask) => {
    const json = name in answers ? undefined : await ask().catch(() => undefined);
    if (json !== undefined) answers[name] = json;
  };
  for (const path of askedPaths()) await keep(nameOf(path, undefined), () => fetchJson(path, {}));
  for (const { stem, body } of calls) {
    await keep(nameOf(`/api/${stem}`, body && JSON.stringify(body)), () => askConcept(stem, body));
  }
  return answers;
}

/**
 * @param {string} page
 * @param {Record<string, any>} answers
 * @returns {string}
 */
export function withAnswers(page, answers) {
  const json = JSON.stringify(answers).replace(/</g, "\\u003c");
  const end = page.lastIndexOf("</body>"); // scripts in the page may say the same word
  const script = `<script type="application/json" id="recorded">${json}</script>`;
  return `${page.slice(0, end)}${script}\n  ${page.slice(end)}`;
}
