/** Requests about training runs. */

import { fetchJson, postJson } from "../requests/api_request.js";

/** @typedef {import("./types.js").Schemas["RunAnswer"]} RunAnswer */

/** @typedef {import("./types.js").Schemas["RunState"]} RunState */

/**
 * How a training run stands.
 * @param {string} id
 * @returns {Promise<RunAnswer>}
 */
export async function getRun(id) {
  return fetchJson(path(id), {});
}

/**
 * The run that was recorded beforehand.
 * @template A
 * @param {string} address  of its file
 * @returns {Promise<A>}  as the caller knows it
 */
export async function getRecordedRun(address) {
  return fetchJson(address, {});
}

/**
 * @param {string} id
 * @param {"pause" | "resume" | "step" | "stop"} command
 * @returns {Promise<RunState>}
 */
export async function postCommand(id, command) {
  return postJson(`${path(id)}/${command}`, {});
}

/**
 * The run's network as a model of the Explorer.
 * @param {string} id
 * @returns {Promise<import("./types.js").Answer<"/api/training/{run_id}/model", "post">>}
 */
export async function postModel(id) {
  return postJson(`${path(id)}/model`, {});
}

/** @param {string} id */
function path(id) {
  return `/api/training/${encodeURIComponent(id)}`;
}
