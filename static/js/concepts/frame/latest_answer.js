/**
 * Answers to a page's calls while its state changes: one request at a time, the newest next, the last answer until
 * then. An answer always comes with the state it was requested for, so that a chart never mixes two.
 */

import { askConcept } from "../../api/analyses.js";
import { pageScheduler } from "../../requests/page_requests.js";
import { createMemory } from "../../base/recent_values.js";
import { isAway } from "../../requests/retry_policy.js";

/** @typedef {import("../../api/types.js").Call} Call */

/**
 * @template S
 * @typedef {object} Told  the current answers, and what is wrong with newer ones
 * @property {Readonly<S> | null} state  that the answers are for; null before the first
 * @property {unknown[]} answers  one for each call
 * @property {boolean} isPending  whether newer ones are on their way
 * @property {unknown} problem  error of the newest request; null while it may still succeed
 * @property {import("../../requests/request_scheduler.js").Failure | null} failure  the same with its retries; also for a slow request
 */

/**
 * @template S
 * @typedef {{key: string, calls: Call[], state: Readonly<S>}} Question
 */
/** @typedef {{key: string, job: import("../../requests/request_scheduler.js").Job | null}} Flight */

const APART_MS = 60;
/** Milliseconds for which an older request may delay a newer one. */
const PATIENCE_MS = 300;
const REMEMBERED = 48;
/** Timeout in milliseconds of calls that run no model. */
const LIMIT = 60_000;
/** Stems whose calls run or load models, which may take minutes. */
const OF_MODELS = new Set(["block", "claims", "context", "embedding", "linear/models", "parity", "sinusoidal"]);
const GOOD = { isPending: false, problem: null, failure: null };

/**
 * @template S
 * @param {() => void} onChange  something arrived
 * @param {(call: Call, signal: AbortSignal) => Promise<unknown>} [post]
 * @param {import("../../requests/request_scheduler.js").Scheduler} [scheduler]
 */
export function createAnswers(onChange, post = askConcept, scheduler = pageScheduler()) {
  const memory = /** @type {ReturnType<typeof createMemory<unknown[]>>} */ (createMemory(REMEMBERED));
  /** @type {Question<S> | null} */
  let wanted = null;
  /** @type {Flight | null} */
  let flight = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let sentAt = -Infinity;
  let known = "";
  /** @type {Told<S>} */
  let told = { state: null, answers: [], ...GOOD };

  /** @param {Call[]} calls @param {Readonly<S>} state @returns {Told<S>} */
  function ask(calls, state) {
    const key = JSON.stringify(calls);
    const isNew = key !== wanted?.key;
    wanted = { key, calls, state };
    if (key === known) told = { ...told, state, ...GOOD };
    if (!isNew) return told;
    const answers = calls.length === 0 ? [] : memory.get(key);
    clearTimeout(timer);
    if (answers) {
      giveUp();
      arrive(wanted, answers);
    } else {
      if (flight?.job?.failure()?.kind === "failed") giveUp();
      // While the server is away, the failure of the last request stays on the page.
      if (!isAway(told.problem)) told = { ...told, ...GOOD, isPending: true };
      timer = setTimeout(send, flight ? PATIENCE_MS : untilNext());
    }
    return told;
  }

  function untilNext() {
    return Math.max(0, sentAt + APART_MS - performance.now());
  }

  function giveUp() {
    const abandoned = flight;
    flight = null;
    abandoned?.job?.cancel();
  }

  function send() {
    if (!wanted || wanted.key === known) return;
    const question = wanted;
    giveUp();
    /** @type {Flight} */
    const mine = { key: question.key, job: null };
    flight = mine;
    sentAt = performance.now();
    mine.job = submit(scheduler, post, question.calls, {
      onValue(answers) {
        memory.set(question.key, answers);
        if (flight !== mine) return;
        flight = null;
        arrive(question, answers);
        onChange();
        if (!told.isPending) return;
        clearTimeout(timer);
        timer = setTimeout(send, untilNext());
      },
      onChange() {
        if (flight !== mine) return;
        fail();
        onChange();
      },
    });
    fail();
  }

  /** Takes over the state of the request, if it is the newest. */
  function fail() {
    if (!flight || wanted?.key !== flight.key) return;
    const failure = flight.job?.failure() ?? null;
    const problem = failure?.kind === "failed" ? failure.error : null;
    told = { ...told, isPending: problem === null, problem, failure };
  }

  /** @param {Question<S>} question @param {unknown[]} answers */
  function arrive({ key, state }, answers) {
    const isNewest = wanted?.key === key;
    known = key;
    told = { state: isNewest && wanted ? wanted.state : state, answers, ...GOOD, isPending: !isNewest };
  }

  return { ask };
}

/**
 * All calls of one question as one job.
 * @param {import("../../requests/request_scheduler.js").Scheduler} scheduler
 * @param {(call: Call, signal: AbortSignal) => Promise<unknown>} post
 * @param {Call[]} calls
 * @param {{onValue: (answers: unknown[]) => void, onChange: () => void}} on
 */
function submit(scheduler, post, calls, on) {
  return scheduler.submit({
    lane: calls.map(({ stem }) => stem).join(),
    ...(calls.every(({ stem }) => !OF_MODELS.has(stem)) && { limit: LIMIT }),
    send: (signal) => Promise.all(calls.map((call) => post(call, signal))),
    ...on,
  });
}
