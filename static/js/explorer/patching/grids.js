/** Grids of effects from the server: asked for, followed while they are computed, cancelled. */

import { postPatching, postPatchingProgress, postPathPatching } from "../../api/patching.js";
import { createCachedResource } from "../../requests/cached_resource.js";
import { createStopping } from "../../requests/stopping.js";
import { watchedProgress } from "../../requests/watched_progress.js";

/** @typedef {import("../../api/patching.js").AnyPatching} AnyPatching */
/** @typedef {import("../../api/patching.js").PatchingRequest} PatchingRequest */
/** @typedef {import("../../api/patching.js").PathPatchingRequest} PathPatchingRequest */
/** @typedef {{patching: PatchingRequest | null, paths: PathPatchingRequest | null}} Asked  at most one of them */

/** It may take minutes, and goes on only while it is wanted. */
const LONG = { kept: 32, limit: null };

/**
 * @param {() => void} schedule
 * @param {<T>(question: () => Promise<T>) => Promise<T>} [ask]  renews what a question is about, should it have expired
 */
export function createGrids(schedule, ask = (question) => question()) {
  const patches = createCachedResource({
    lane: "patching",
    onChange: schedule,
    ...LONG,
    read: (/** @type {PatchingRequest} */ asked, signal) => ask(() => postPatching(asked, signal)),
  });
  const paths = createCachedResource({
    lane: "patching/paths",
    onChange: schedule,
    ...LONG,
    read: (/** @type {PathPatchingRequest} */ asked, signal) => ask(() => postPathPatching(asked, signal)),
  });
  const progress = watchedProgress(postPatchingProgress, schedule);
  const stopping = createStopping(schedule, clear);

  function clear() {
    patches.clear();
    paths.clear();
    progress.watch(null);
  }

  return {
    /** @param {Asked} asked @returns {AnyPatching | null} */
    take(asked) {
      const { patching, paths: path } = asked;
      if (stopping.holds(asked)) return (patching && patches.peek(patching)) ?? (path && paths.peek(path)) ?? null;
      const [patchEffects] = patches.take(patching ? [patching] : []);
      const [pathEffects] = paths.take(path ? [path] : []);
      const answer = patchEffects ?? pathEffects ?? null;
      const isRefused = (patches.failure() ?? paths.failure())?.kind === "failed";
      progress.watch((patching || path) && !answer && !isRefused ? asked : null);
      return answer;
    },
    progress: progress.now,
    ...stopping.choices,
    failure: () => patches.failure() ?? paths.failure(),
    clear,
  };
}
