/** Questions on how one output of a model came about. */

import { fetchJson } from "../requests/api_request.js";
import { decodeMatrix } from "../base/decode.js";

/** @typedef {import("./types.js").Candidate} Candidate */

/** @typedef {"logit_lens" | "direct_effect" | "attribution"} Look */

/**
 * @typedef {object} Output  what a model says at one position
 * @property {"next_token" | "masked_token" | "class" | "embedding"} kind
 * @property {number | null} position  null where it speaks of all tokens together
 * @property {number} vocabulary  tokens or classes that have a logit
 * @property {Candidate[]} candidates
 * @property {Look[]} looks  what can be asked of it
 * @property {number} weights  of all heads together
 * @property {number} max_weights  whose gradients can be held
 *
 * @typedef {object} LensState
 * @property {number} layer  behind which the stream was read; −1 is the embedding
 * @property {Candidate[]} candidates
 * @property {number} entropy  in nats
 * @property {number} probability  of the token that is followed
 * @property {number} rank  how many tokens are more probable
 *
 * @typedef {object} LogitLens
 * @property {number} token_id
 * @property {string} token_text
 * @property {LensState[]} states
 *
 * @typedef {object} DirectEffect
 * @property {number} token_id
 * @property {string} token_text
 * @property {number | null} against_id
 * @property {string | null} against_text
 * @property {number[][]} heads  layers × heads
 * @property {number[]} attention_bias  by layer
 * @property {number[]} feed_forward  by layer
 * @property {number} embedding
 * @property {number} constant
 * @property {number} total
 * @property {number} logit
 *
 * @typedef {object} Attribution
 * @property {"logit" | "embedding" | "component"} target
 * @property {number | null} token_id
 * @property {string | null} token_text
 * @property {number | null} against_id
 * @property {string | null} against_text
 * @property {number} output
 * @property {{name: string, heads: number[][]}[]} parts
 * @property {import("./types.js").Matrix} matrix  of one head
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
 * @returns {Promise<any>}
 */
export async function getAttributionJson(id, question, signal) {
  return ask(id, "attribution", question, signal);
}

/**
 * @param {any} json
 * @returns {Attribution}
 */
export function decodeAttribution(json) {
  const cells = decodeMatrix(json.matrix);
  const whole = { rows: [0, cells.height], cols: [0, cells.width], cellRows: 1, cellCols: 1 };
  return { ...json, matrix: { ...cells, ...whole } };
}

/**
 * @param {string} id
 * @param {string} name
 * @param {Question} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
function ask(id, name, question, signal) {
  const given = Object.entries(question).filter(([, value]) => value !== null);
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  return fetchJson(`/api/analyses/${encodeURIComponent(id)}/${name}?${query}`, { signal });
}
