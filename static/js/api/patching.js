/** Requests about patching between a clean and a corrupt prompt. */

import { postJson } from "../requests/api_request.js";

/** @typedef {import("./types.js").Schemas["PatchingAnswer"]} Patching */
/** @typedef {import("./types.js").Schemas["PathPatchingAnswer"]} PathPatching */
/** @typedef {Patching | PathPatching} AnyPatching  one grid of effects */
/** @typedef {import("./types.js").Body<"patching">} PatchingRequest */
/** @typedef {import("./types.js").Body<"patching/paths">} PathPatchingRequest */

/**
 * @param {PatchingRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<Patching>}
 */
export async function postPatching(request, signal) {
  return postJson("/api/patching", request, signal);
}

/**
 * @param {PathPatchingRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<PathPatching>}
 */
export async function postPathPatching(request, signal) {
  return postJson("/api/patching/paths", request, signal);
}
