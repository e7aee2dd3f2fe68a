/**
 * Decides when requests are sent: a few at a time, and after a failure later and later, one for all that failed alike.
 * Requests of one kind share a lane. While the server is away, a lane is closed: a single request is sent after each
 * wait, and when it succeeds the others follow. Time and chance are given, so that all of it can be tested.
 */

import {
  dueOf,
  extend,
  failureOf,
  isCutOff,
  isGivenUp,
  nextOf,
  openLane,
  reopen,
  revive,
  strike,
} from "./request_lane.js";
import { MOST_ATTEMPTS, isAway, isTemporary, waitAfter } from "./retry_policy.js";

/** @typedef {import("./request_lane.js").Entry} Entry */
/** @typedef {import("./request_lane.js").Lane} Lane */

/**
 * @typedef {object} Environment
 * @property {() => number} now  milliseconds
 * @property {(task: () => void, ms: number) => unknown} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => number} random  0 to 1
 * @property {() => boolean} isHidden  nobody sees the page: nothing is tried again meanwhile
 * @property {() => Promise<unknown>} reach  resolves if the server answers at all
 * @property {(ms: number) => Error} noAnswer  the error of a request that was given up after so long
 *
 * @typedef {object} Order
 * @property {string} lane
 * @property {(signal: AbortSignal) => Promise<any>} send
 * @property {(value: any) => void} onValue
 * @property {() => void} onChange  `failure()` says something else now
 * @property {number} [limit]  milliseconds after which no answer counts as a failure; none for what may take minutes
 * @property {boolean} [isUrgent]  somebody waits for exactly this: it is sent even where others have just failed
 * @property {number} [attempts]  sent at most so often while the server answers with an error of its own
 *
 * @typedef {object} Failure  why there is no answer yet
 * @property {"slow" | "failed"} kind  slow: nothing is wrong but the time it takes
 * @property {unknown} error
 * @property {number | null} retryAt  when it is sent again by itself (`now`); null if it is not
 * @property {boolean} isTrying  it is being sent again
 * @property {boolean} canRetry  whether it makes sense to offer that
 * @property {() => void} retry
 *
 * @typedef {{failure: () => Failure | null, cancel: () => void}} Job
 *
 * @typedef {ReturnType<typeof createScheduler>} Scheduler
 */

/** Requests under way at the same time; what may take minutes does not count. */
const AT_ONCE = 6;
/** From here on people are told that they wait. */
const SLOW = 5_000;
const LOOK_EVERY = 30_000;

/** @param {Environment} environment */
export function createScheduler(environment) {
  const { now, setTimer, clearTimer } = environment;
  /** @type {Map<string, Lane>} */
  const lanes = new Map();
  /** @type {Set<Entry>} */
  const flying = new Set();
  /** @type {unknown} */
  let looking = null;
  let wasDown = false;

  /** @param {Order} order @returns {import("./request_scheduler.js").Job} */
  function submit({ attempts: most = MOST_ATTEMPTS, ...order }) {
    const own = lanes.get(order.lane) ?? openLane();
    lanes.set(order.lane, own);
    const fresh = { error: null, round: 0, retryAt: null, isSlow: false, stop: null, timer: null };
    /** @type {Entry} */
    const entry = { ...order, state: "queued", attempts: 0, most, ...fresh, own };
    own.jobs.add(entry);
    const { isClosed, probe, error } = own;
    const isTold = Boolean(/** @type {{retryAfter?: number} | null} */ (error)?.retryAfter);
    if (isClosed && own.retryAt === null) extend(own, Math.max(now(), own.struckAt + LOOK_EVERY));
    if (isClosed && probe === null && entry.isUrgent && !isTold) tryOne(own, entry);
    pump(own);
    return { failure: () => failureOf(entry, retry), cancel: () => cancel(entry) };
  }

  /** Sends what may be sent, and sees to it that what failed is sent when its time has come. @param {Lane} lane */
  function pump(lane) {
    for (const entry of lane.isClosed ? [] : lane.jobs) {
      if (entry.state !== "queued") continue;
      if (flying.size >= AT_ONCE && entry.limit !== undefined) break;
      start(entry);
    }
    clearTimer(lane.timer);
    const due = dueOf(lane);
    lane.timer = due === null ? null : setTimer(() => again(lane), Math.max(0, Math.ceil(due - now())));
  }

  function pumpAll() {
    for (const lane of lanes.values()) pump(lane);
  }

  /** @param {Lane} lane */
  function again(lane) {
    lane.timer = null;
    if (environment.isHidden()) return;
    const next = nextOf(lane, now());
    if (next) tryOne(lane, next);
    else pump(lane);
  }

  /** @param {Lane} lane @param {Entry} entry */
  function tryOne(lane, entry) {
    lane.probe = entry;
    start(entry);
    tell(lane);
  }

  /** @param {Entry} entry */
  function start(entry) {
    const stop = new AbortController();
    Object.assign(entry, { state: "asking", round: entry.own.round, isSlow: false, stop });
    if (entry.limit !== undefined) flying.add(entry);
    entry.timer = setTimer(() => slow(entry, stop), SLOW);
    entry.send(stop.signal).then(
      (value) => entry.stop === stop && succeed(entry, value),
      (error) => entry.stop === stop && fail(entry, error),
    );
  }

  /** @param {Entry} entry @param {AbortController} stop */
  function slow(entry, stop) {
    const { limit } = entry;
    entry.isSlow = true;
    entry.timer = limit === undefined ? null : setTimer(() => giveUp(entry, stop, limit), limit - SLOW);
    entry.onChange();
  }

  /** @param {Entry} entry @param {AbortController} stop @param {number} limit */
  function giveUp(entry, stop, limit) {
    fail(entry, environment.noAnswer(limit));
    stop.abort();
  }

  /** It is no longer under way. @param {Entry} entry @returns {boolean} whether others waited for its outcome */
  function land(entry) {
    clearTimer(entry.timer);
    entry.stop = null;
    flying.delete(entry);
    const wasProbe = entry.own.probe === entry;
    if (wasProbe) entry.own.probe = null;
    return wasProbe;
  }

  /** @param {Entry} entry @param {any} value */
  function succeed(entry, value) {
    const { own } = entry;
    const { isClosed } = own;
    const wasProbe = land(entry);
    const isBack = wasProbe && isCutOff(own);
    own.jobs.delete(entry);
    reopen(own, wasProbe);
    own.isRevived = false;
    entry.onValue(value);
    if (isBack) recover();
    if (wasProbe || isClosed) tell(own);
    pumpAll();
  }

  /** @param {Entry} entry @param {unknown} error */
  function fail(entry, error) {
    const { own } = entry;
    const wasProbe = land(entry);
    Object.assign(entry, { state: "failed", error, retryAt: null, attempts: entry.attempts + 1 });
    if (isTemporary(error)) strike(entry, error, { now: now(), chance: environment.random() });
    else if (wasProbe) reopen(own, true);
    tell(own);
    pumpAll();
    look();
  }

  /** @param {Entry} entry */
  function cancel(entry) {
    const { own, stop } = entry;
    if (!own.jobs.delete(entry)) return;
    // Whoever wants something else in every moment does not make a request of each.
    if (land(entry) && own.isClosed) own.retryAt = now() + (waitAfter(own.strikes, own.error, 0) ?? LOOK_EVERY);
    stop?.abort();
    pumpAll();
  }

  /** @param {Lane} lane */
  function tell(lane) {
    for (const entry of [...lane.jobs]) entry.onChange();
  }

  /** Asks once more for what could not be had: one of each kind, and on its success the rest. */
  function retry() {
    for (const lane of lanes.values()) {
      for (const entry of lane.jobs) if (entry.state === "asking" && entry.isSlow) restart(entry);
      revive(lane, now(), () => true);
      lane.isRevived = false;
      if (lane.probe === null) again(lane);
      pump(lane);
    }
  }

  /** @param {Entry} entry */
  function restart(entry) {
    const { stop } = entry;
    clearTimer(entry.timer);
    start(entry);
    stop?.abort();
    entry.onChange();
  }

  /** The server seems to be there again: what failed because it was not is asked for. */
  function recover() {
    for (const lane of lanes.values()) {
      if (isCutOff(lane) || isGivenUp(lane)) revive(lane, now(), ({ error }) => isAway(error));
      pump(lane);
    }
  }

  /** After trying has ended, it is looked now and then whether the server answers; that costs it nothing. */
  function look() {
    if (looking !== null || ![...lanes.values()].some(isGivenUp)) return;
    looking = setTimer(() => {
      looking = null;
      if (!environment.isHidden()) environment.reach().then(found, () => ((wasDown = true), look()));
    }, LOOK_EVERY);
  }

  /** It answers. Where it never stopped answering, that is worth one more round of attempts, but only one. */
  function found() {
    const given = [...lanes.values()].filter(isGivenUp);
    const isNews = wasDown || given.some(({ isRevived }) => !isRevived);
    for (const lane of given) lane.isRevived = !wasDown;
    wasDown = false;
    if (isNews) recover();
  }

  return {
    submit,
    retry,
    recover,
    /** Somebody looks at the page again: what fell due meanwhile is sent. */
    resume() {
      pumpAll();
      look();
    },
  };
}
