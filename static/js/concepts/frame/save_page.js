/** Save a concept's page as one file that needs no server, and start from such a file. */

import { askConcept } from "../../api/analyses.js";
import { fetchJson, getPage } from "../../requests/api_request.js";
import { answerFromPackedRecords, recordsSize, withRecords } from "../../requests/packed_records.js";
import { askedPaths, requestName } from "../../requests/recorded_answers.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/types.js").Call} Call */

/** @typedef {import("../../requests/recorded_answers.js").Recorded} Recorded */

/** Bytes of a file; what it holds beyond the presets and what is shown is left out from here on. */
export const MOST_BYTES = 500_000;
/** Answers after which the size is taken again. */
const AT_ONCE = 6;

/**
 * Answers that a page computes by itself in a saved file, by the stem of the call: the same numbers as the server's.
 * A function returns null for what it does not compute.
 * @typedef {{[stem: string]: (body: never) => unknown}} Computes
 */

/**
 * What a file keeps of an answer, by the stem of the call: what the page shows. All of it where nothing is said.
 * @typedef {{[stem: string]: (answer: never) => object}} Kept
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
 * @param {Call[]} [more.further]  whose answers go into it, in their order, as long as it is small
 * @param {Recorded[]} [more.held]  what it holds beside them
 * @param {Kept} [more.kept]
 * @param {(done: number, of: number) => void} [more.onAnswer]
 * @returns {Promise<Blob>}
 */
export async function offlineFile(stem, query, calls, more = {}) {
  const { further = [], held = [], kept = {}, onAnswer = () => undefined } = more;
  const total = calls.length + further.length;
  const page = await getPage(`/offline/${stem}?${query}`);
  const answers = createRecording(kept, (done) => onAnswer(done, total));
  for (const path of askedPaths()) await answers.keep(requestName(path, undefined), () => fetchJson(path, {}));
  for (const call of calls) await answers.keepCall(call);
  const room = MOST_BYTES - new Blob([page]).size;
  await recordWithin(room, further, answers, held);
  return new Blob([await withRecords(page, [...answers.records(), ...held])], { type: "text/html" });
}

/**
 * Records further answers while all records fit.
 * @param {number} room  bytes
 * @param {Call[]} calls
 * @param {ReturnType<typeof createRecording>} answers
 * @param {Recorded[]} held
 */
export async function recordWithin(room, calls, answers, held) {
  for (let start = 0; start < calls.length; start += AT_ONCE) {
    const before = answers.records().length;
    for (const call of calls.slice(start, start + AT_ONCE)) await answers.keepCall(call);
    if ((await recordsSize([...answers.records(), ...held])) > room) return answers.forgetFrom(before);
  }
}

/**
 * The answers to calls, each once; failed calls are left out.
 * @param {Kept} kept
 * @param {(done: number) => void} [onCall]
 * @param {(call: Call) => Promise<object>} [ask]
 */
export function createRecording(kept, onCall = () => undefined, ask = askConcept) {
  /** @type {Map<string, unknown>} */
  let answers = new Map();
  let done = 0;

  /** @param {string} request @param {() => Promise<unknown>} fetched */
  async function keep(request, fetched) {
    const json = answers.has(request) ? undefined : await fetched().catch(() => undefined);
    if (json !== undefined) answers.set(request, json);
  }

  return {
    keep,
    /** @param {Call} call */
    async keepCall(call) {
      const name = requestName(`/api/${call.stem}`, call.body && JSON.stringify(call.body));
      await keep(name, async () => (kept[call.stem] ?? whole)(/** @type {never} */ (await ask(call))));
      onCall(++done);
    },
    /** @returns {Recorded[]} */
    records: () => [...answers].map(([request, answer]) => ({ request, answer })),
    /** @param {number} count  of the first answers, which stay */
    forgetFrom(count) {
      answers = new Map([...answers].slice(0, count));
    },
  };
}

/** @param {object} answer */
function whole(answer) {
  return answer;
}
