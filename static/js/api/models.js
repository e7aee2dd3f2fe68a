/** Requests about models, one function each. Errors are those of `requests/api_request.js`. */

import { fetchJson, postJson } from "../requests/api_request.js";
import { noteAsked } from "../requests/recorded_answers.js";

/**
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Answer<"/api/models", "get">>}
 */
export async function getModels(signal) {
  noteAsked("/api/models");
  return fetchJson("/api/models", { signal });
}

/**
 * Models of the Hugging Face Hub whose id contains the query.
 * @param {string} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").FoundModel[]>}
 */
export async function searchHub(query, signal) {
  return (await fetchJson(`/api/models/search?${new URLSearchParams({ query })}`, { signal })).models;
}

/**
 * What is known of a model before it is loaded.
 * @param {string} model
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").ModelFacts>}
 */
export async function previewModel(model, signal) {
  return fetchJson(`/api/models/preview?${new URLSearchParams({ model })}`, { signal });
}

/**
 * The progress of loading a model.
 * @param {string} model
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("./types.js").Loading>}
 */
export async function getLoading(model, signal) {
  return fetchJson(`/api/models/loading?${new URLSearchParams({ model })}`, { signal });
}

/**
 * Loads a model in the background, independently of this connection.
 * @param {string} model
 * @param {AbortSignal} [signal]
 */
export async function postLoading(model, signal) {
  return postJson("/api/models/load", { model }, signal);
}

/** Withdraws `postLoading`. @param {string} model */
export async function deleteLoading(model) {
  return fetchJson(`/api/models/loading?${new URLSearchParams({ model })}`, { method: "DELETE" });
}
