/**
 * Cache of server answers by request: fetched when wanted, kept for a while, aborted when no longer
 * wanted. The scheduler decides when requests are sent and retried: wanting a failed one sends nothing.
 */

import { pageScheduler } from "./page_requests.js";
import { createMemory } from "../base/recent_values.js";

/** @typedef {import("./request_scheduler.js").Failure} Failure */
/** @typedef {import("./request_scheduler.js").Job} Job */
/** @typedef {import("./request_scheduler.js").Scheduler} Scheduler */

/** Timeout in milliseconds of requests without a long computation. */
export const SHORT = 45_000;

/**
 * @template Q, R
 * @typedef {object} Options
 * @property {string} lane  requests in one lane fail and are retried together
 * @property {(question: Q, signal: AbortSignal) => Promise<R>} read
 * @property {() => void} onChange  something arrived, or could not
 * @property {number} kept  answers, at least as many as are wanted at once
 * @property {number | null} [limit]  milliseconds after which no answer counts as a failure; null: it may take minutes
 * @property {(question: Q) => string} [keyOf]
 */

/**
 * @template Q, R
 * @typedef {object} CachedResource
 * @property {(questions: Q[]) => (R | null)[]} take  cached answers; the rest is fetched, and requests not named are aborted
 * @property {(question: Q) => R | undefined} peek  the cached answer; nothing is fetched
 * @property {() => Failure | null} failure  of wanted but missing answers
 * @property {(question: Q) => Failure | null} failureOf
 * @property {() => void} clear  nothing is wanted any more
 */

/**
 * @template Q, R
 * @param {Options<Q, R>} options
 * @param {Scheduler} [scheduler]
 * @returns {CachedResource<Q, R>}
 */
export function createCachedResource(options, scheduler = pageScheduler()) {
  const { lane, read, onChange, kept, limit = SHORT, keyOf = JSON.stringify } = options;
  /** @type {ReturnType<typeof createMemory<{answer: R}>>} */
  const memory = createMemory(kept);
  /** @type {Map<string, Job>} */
  const wanted = new Map();

  /**
   * @param {string} key
   * @param {Q} question
   */
  function ask(key, question) {
    const job = scheduler.submit({
      lane,
      ...(limit !== null && { limit }),
      send: (signal) => read(question, signal),
      onValue(answer) {
        wanted.delete(key);
        memory.set(key, { answer });
        onChange();
      },
      onChange,
    });
    wanted.set(key, job);
  }

  /** @param {Set<string>} keys */
  function giveUpOthers(keys) {
    for (const [key, job] of wanted) {
      if (keys.has(key)) continue;
      wanted.delete(key);
      job.cancel();
    }
  }

  return {
    take(questions) {
      const keys = questions.map((question) => keyOf(question));
      giveUpOthers(new Set(keys));
      return keys.map((key, index) => {
        const known = memory.get(key);
        if (known === undefined && !wanted.has(key)) ask(key, questions[index]);
        return known?.answer ?? null;
      });
    },
    peek: (question) => memory.get(keyOf(question))?.answer,
    failure() {
      const failures = [...wanted.values()].map((job) => job.failure()).filter((failure) => failure !== null);
      return failures.find(({ kind }) => kind === "failed") ?? failures[0] ?? null;
    },
    failureOf: (question) => wanted.get(keyOf(question))?.failure() ?? null,
    clear: () => giveUpOthers(new Set()),
  };
}

/**
 * The same for requests about an analysis, which is posted again if the server no longer has it.
 * @template Q, R
 * @param {{ask: <T>(id: string, question: (id: string) => Promise<T>) => Promise<T>}} session
 * @param {(id: string, question: Q, signal: AbortSignal) => Promise<R>} read
 * @param {Omit<Options<[string, Q], R>, "read">} options
 * @param {Scheduler} [scheduler]
 */
export function createAnalysisResource(session, read, options, scheduler = pageScheduler()) {
  /** @type {CachedResource<[string, Q], R>} */
  const resource = createCachedResource(
    { ...options, read: ([about, question], signal) => session.ask(about, (id) => read(id, question, signal)) },
    scheduler,
  );
  const about = (/** @type {string} */ id, /** @type {Q[]} */ questions) =>
    questions.map((question) => /** @type {[string, Q]} */ ([id, question]));
  return {
    ...resource,
    /** @param {string} id  of the analysis @param {Q[]} questions */
    take: (id, questions) => resource.take(about(id, questions)),
    /** @param {string} id @param {Q} question */
    peek: (id, question) => resource.peek([id, question]),
    /** @param {string} id @param {Q} question */
    failureOf: (id, question) => resource.failureOf([id, question]),
  };
}
