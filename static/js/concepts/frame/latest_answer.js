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
  const shown = /** @type {Shown<S>} */ (new Shown());
  /** @type {Flight | null} */
  let flight = null;
  const pace = createPace(send);

  /** @param {Call[]} calls @param {Readonly<S>} state @returns {Told<S>} */
  function ask(calls, state) {
    const key = JSON.stringify(calls);
    if (!shown.want({ key, calls, state })) return shown.told;
    const answers = calls.length === 0 ? [] : memory.get(key);
    if (answers) {
      pace.stop();
      giveUp();
      shown.take({ key, state }, answers);
    } else {
      if (flight?.job?.failure()?.kind === "failed") giveUp();
      shown.wait();
      pace.sendNext(flight !== null);
    }
    return shown.told;
  }

  function giveUp() {
    const abandoned = flight;
    flight = null;
    abandoned?.job?.cancel();
  }

  function send() {
    const question = shown.missing();
    if (!question) return;
    giveUp();
    /** @type {Flight} */
    const mine = { key: question.key, job: null };
    flight = mine;
    pace.hasSent();
    mine.job = submit(scheduler, post, question.calls, {
      onValue(answers) {
        memory.set(question.key, answers);
        if (flight !== mine) return;
        flight = null;
        shown.take(question, answers);
        onChange();
        if (shown.told.isPending) pace.sendNext(false);
      },
      onChange() {
        if (flight !== mine) return;
        shown.fail(mine);
        onChange();
      },
    });
    if (flight) shown.fail(flight);
  }

  return { ask };
}

/**
 * When requests are sent: not too soon after one another.
 * @param {() => void} send
 */
function createPace(send) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let sentAt = -Infinity;
  return {
    stop: () => clearTimeout(timer),
    hasSent() {
      sentAt = performance.now();
    },
    /** @param {boolean} isOneAway  which may yet come */
    sendNext(isOneAway) {
      clearTimeout(timer);
      timer = setTimeout(send, isOneAway ? PATIENCE_MS : Math.max(0, sentAt + APART_MS - performance.now()));
    },
  };
}

/**
 * What a page shows: answers with the state that they are for, and how a newer question stands.
 * @template S
 */
export class Shown {
  /** @type {Told<S>} */
  told = { state: null, answers: [], ...GOOD };
  /** Of the question that is answered. */
  #known = "";
  /** @type {Question<S> | null} */
  #wanted = null;

  /** @param {Question<S>} question @returns {boolean}  whether it is another one than before */
  want(question) {
    const isOther = question.key !== this.#wanted?.key;
    this.#wanted = question;
    if (question.key === this.#known) this.told = { ...this.told, state: question.state, ...GOOD };
    return isOther;
  }

  /** The question that is to be asked; null: what is shown answers it. */
  missing() {
    return this.#wanted?.key === this.#known ? null : this.#wanted;
  }

  /** While the server is away, the failure of the last request stays on the page. */
  wait() {
    if (!isAway(this.told.problem)) this.told = { ...this.told, ...GOOD, isPending: true };
  }

  /** Takes over the state of a request, if it is the newest. @param {Flight} flight */
  fail({ key, job }) {
    if (this.#wanted?.key !== key) return;
    const failure = job?.failure() ?? null;
    const problem = failure?.kind === "failed" ? failure.error : null;
    this.told = { ...this.told, isPending: problem === null, problem, failure };
  }

  /** @param {Pick<Question<S>, "key" | "state">} question @param {unknown[]} answers */
  take({ key, state }, answers) {
    const isNewest = this.#wanted?.key === key;
    this.#known = key;
    this.told = {
      state: isNewest && this.#wanted ? this.#wanted.state : state,
      answers,
      ...GOOD,
      isPending: !isNewest,
    };
  }
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
