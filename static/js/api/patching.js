/** Requests about patching between a clean and a corrupt prompt. */

import { postJson } from "../requests/api_request.js";

/** @typedef {import("./types.js").Schemas["PatchingAnswer"]} Patching */
/** @typedef {import("./types.js").Schemas["PathPatchingAnswer"]} PathPatching */
/** @typedef {Patching | PathPatching} AnyPatching  one grid of effects */
/** @typedef {import("./types.js").Body<"patching">} PatchingRequest */
/** @typedef {import("./types.js").Body<"patching/paths">} PathPatchingRequest */

/** @typedef {import("./types.js").Schemas["PromptPairAnswer"]} PromptPair */
/** @typedef {import("./types.js").Body<"patching/prompts">} PromptPairRequest */
/** @typedef {import("./types.js").Schemas["PatchingProgress"]} PatchingProgress */

/** Where each is asked for. */
export const PATCHING = Object.freeze({
  heads: "/api/patching",
  paths: "/api/patching/paths",
  prompts: "/api/patching/prompts",
});

/**
 * @param {PatchingRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<Patching>}
 */
export async function postPatching(request, signal) {
  return postJson(PATCHING.heads, request, signal);
}

/**
 * @param {PathPatchingRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<PathPatching>}
 */
export async function postPathPatching(request, signal) {
  return postJson(PATCHING.paths, request, signal);
}

/**
 * Both prompts token by token, before anything is patched.
 * @param {PromptPairRequest} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<PromptPair>}
 */
export async function postPromptPair(request, signal) {
  return postJson(PATCHING.prompts, request, signal);
}

/**
 * How far the server has come with this grid.
 * @param {{patching: PatchingRequest | null, paths: PathPatchingRequest | null}} request  one of them
 * @param {AbortSignal} [signal]
 * @returns {Promise<PatchingProgress>}
 */
export async function postPatchingProgress({ patching, paths }, signal) {
  if (patching) return postJson("/api/patching/progress", patching, signal);
  return postJson("/api/patching/paths/progress", paths ?? {}, signal);
}
