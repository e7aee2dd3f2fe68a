/**
 * Run one analysis at a time: a newer one replaces an older one, temporary failures are retried, and an expired
 * analysis is posted again.
 */

import { ApiError } from "../../requests/api_request.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { isTemporary } from "../../requests/retry_policy.js";
import { createStore } from "../../base/store.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").AnalysisRequest} AnalysisRequest */
/** @typedef {import("../../requests/request_scheduler.js").Job} Job */

/**
 * @typedef {object} Progress
 * @property {"idle" | "running" | "waiting" | "failed" | "done"} phase  waiting: it failed and will be retried
 * @property {number} since  when the run began (`performance.now()`)
 * @property {number} retryAt  when the next attempt is due
 * @property {ApiError | null} error
 * @property {Analysis | null} analysis  the latest finished one, kept while another runs
 * @property {AnalysisRequest | null} request  of that analysis
 */

/**
 * @typedef {object} Session
 * @property {import("../../base/store.js").Store<Progress>} progress
 * @property {(request: AnalysisRequest) => Promise<Analysis | null>} run  null when cancelled, replaced or refused for good
 * @property {() => import("../../requests/request_scheduler.js").Failure | null} failure  of the current request
 * @property {() => void} cancel
 * @property {<T>(id: string, question: (id: string) => Promise<T>) => Promise<T>} ask  asks about an analysis; posts
 *   it again if it has expired and is still the latest
 */

/** @type {Progress} */
const IDLE = { phase: "idle", since: 0, retryAt: 0, error: null, analysis: null, request: null };
/** Attempts while the computation fails on the server; each may take minutes. */
const ATTEMPTS = 3;

/**
 * @param {(request: AnalysisRequest, signal: AbortSignal) => Promise<Analysis>} post
 * @param {() => number} [now]
 * @param {import("../../requests/request_scheduler.js").Scheduler} [scheduler]
 * @returns {Session}
 */
export function createSession(post, now = () => performance.now(), scheduler = pageScheduler()) {
  const progress = createStore(IDLE);
  /** @type {{job: Job | null, end: (analysis: Analysis | null) => void} | null} */
  let current = null;
  /** @type {import("../../requests/request_scheduler.js").Failure | null} */
  let refused = null;

  /** @type {Session["run"]} */
  function run(request) {
    end();
    progress.set({ phase: "running", since: now(), error: null });
    return new Promise((resolve) => {
      const mine = { job: /** @type {Job | null} */ (null), end: resolve };
      current = mine;
      mine.job = scheduler.submit({
        lane: "analyses",
        isUrgent: true,
        most: ATTEMPTS,
        send: (signal) => post(request, signal),
        onValue(analysis) {
          current = null;
          progress.set({ phase: "done", error: null, analysis, request });
          resolve(analysis);
        },
        onChange: () => current === mine && tell(request),
      });
      tell(request);
    });
  }

  /** Publishes the phase of the current request. @param {AnalysisRequest} request */
  function tell(request) {
    const failure = current?.job?.failure() ?? null;
    const told = progressOf(failure);
    progress.set(told);
    // A permanent refusal ends the request; anything else may still succeed.
    if (failure && told.error && !isTemporary(told.error)) end({ ...failure, retry: () => void run(request) });
  }

  /** Cancels the current request. @param {typeof refused} [refusal]  why */
  function end(refusal = null) {
    const previous = current;
    current = null;
    refused = refusal;
    previous?.job?.cancel();
    previous?.end(null);
  }

  return {
    progress,
    run,
    ask: createAsking(progress, post),
    failure: () => current?.job?.failure() ?? refused,
    cancel() {
      if (current === null) return;
      end();
      progress.set({ phase: "idle", error: null });
    },
  };
}

/**
 * What is told of a request.
 * @param {import("../../requests/request_scheduler.js").Failure | null} failure  its last one
 * @returns {Pick<Progress, "phase"> & Partial<Progress>}
 */
function progressOf(failure) {
  if (failure === null || failure.kind === "slow" || failure.isTrying) return { phase: "running" };
  const { error, retryAt } = failure;
  if (!(error instanceof ApiError)) throw error;
  return retryAt === null ? { phase: "failed", error } : { phase: "waiting", error, retryAt };
}

/**
 * Asks about an analysis, and posts the latest one again if it has expired.
 * @param {Session["progress"]} progress
 * @param {(request: AnalysisRequest, signal: AbortSignal) => Promise<Analysis>} post
 * @returns {Session["ask"]}
 */
function createAsking(progress, post) {
  /** @type {{of: string, posted: Promise<Analysis>} | null} */
  let renewal = null;

  return async function ask(id, question) {
    try {
      return await question(id);
    } catch (error) {
      const { analysis, request } = progress.get();
      const isExpired = error instanceof ApiError && error.code === "analysis_expired";
      if (!isExpired || request === null || analysis?.id !== id) throw error;
      return question((await renew(id, request)).id);
    }
  };

  /**
   * Posts an analysis again, once for all concurrent questions.
   * @param {string} id
   * @param {AnalysisRequest} request
   */
  function renew(id, request) {
    if (renewal?.of === id) return renewal.posted;
    const mine = { of: id, posted: post(request, new AbortController().signal) };
    renewal = mine;
    return mine.posted.finally(() => renewal === mine && (renewal = null));
  }
}
