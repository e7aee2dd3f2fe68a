/** One analysis at a time: a newer one replaces an older one, a busy server is asked again, an expired one renewed. */

import { ApiError } from "./api.js";
import { createStore } from "./store.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").AnalysisRequest} AnalysisRequest */

/**
 * @typedef {object} Progress
 * @property {"idle" | "running" | "waiting" | "failed" | "done"} phase  waiting: the server was busy
 * @property {number} since  when the run began (`performance.now()`)
 * @property {number} retryAt  when the next attempt is due
 * @property {ApiError | null} error
 * @property {Analysis | null} analysis  the latest finished one, kept while another runs
 * @property {AnalysisRequest | null} request  what that one is of
 */

/**
 * @typedef {object} Session
 * @property {import("./store.js").Store<Progress>} progress
 * @property {(request: AnalysisRequest) => Promise<Analysis | null>} run  null when cancelled, replaced or failed
 * @property {() => void} cancel
 * @property {<T>(ask: (id: string) => Promise<T>) => Promise<T>} ask  asks about the analysis; posts it anew if it expired
 */

const BUSY_WAIT_S = 2;

/**
 * @param {(request: AnalysisRequest, signal: AbortSignal) => Promise<Analysis>} post
 * @param {() => number} [now]
 * @returns {Session}
 */
export function createSession(post, now = () => performance.now()) {
  /** @type {import("./store.js").Store<Progress>} */
  const progress = createStore(
    /** @type {Progress} */ ({ phase: "idle", since: 0, retryAt: 0, error: null, analysis: null, request: null }),
  );
  /** @type {AbortController | null} */
  let current = null;
  /** @type {Promise<Analysis> | null} */
  let renewal = null;

  /** @type {Session["run"]} */
  async function run(request) {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    progress.set({ phase: "running", since: now(), error: null });
    try {
      const analysis = await postUntilFree(request, mine.signal);
      if (current !== mine) return null;
      progress.set({ phase: "done", analysis, request });
      return analysis;
    } catch (error) {
      if (current !== mine) return null;
      if (mine.signal.aborted) progress.set({ phase: "idle" });
      else if (error instanceof ApiError) progress.set({ phase: "failed", error });
      else throw error;
      return null;
    }
  }

  /**
   * @param {AnalysisRequest} request
   * @param {AbortSignal} signal
   * @returns {Promise<Analysis>}
   */
  async function postUntilFree(request, signal) {
    for (;;) {
      try {
        return await post(request, signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 503) throw error;
        const wait = 1000 * (error.retryAfter ?? BUSY_WAIT_S);
        progress.set({ phase: "waiting", retryAt: now() + wait });
        await delay(wait, signal);
        progress.set({ phase: "running" });
      }
    }
  }

  /** @type {Session["ask"]} */
  async function ask(question) {
    const { analysis, request } = progress.get();
    if (!analysis || !request) throw new Error("there is no analysis to ask about");
    try {
      return await question(analysis.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "analysis_expired") throw error;
      renewal ??= postUntilFree(request, new AbortController().signal).finally(() => (renewal = null));
      return question((await renewal).id);
    }
  }

  return { progress, run, ask, cancel: () => current?.abort() };
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function delay(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
  });
}
