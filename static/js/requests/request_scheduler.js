/**
 * Schedules requests: a few at a time, and after a failure with increasing waits, one for all that failed together.
 * Requests of one kind share a lane. Time and randomness are injected for tests.
 */

import { LOOK_EVERY, endWait, failureOf, isCutOff, nextOf, openLane, reopen, strike } from "./request_lane.js";
import { noAnswer } from "./api_request.js";
import { MOST_ATTEMPTS, isTemporary, waitAfter } from "./retry_policy.js";

/** @typedef {import("./request_lane.js").Entry} Entry */
/** @typedef {import("./request_lane.js").Lane} Lane */

/**
 * @typedef {object} Environment
 * @property {() => number} now  milliseconds
 * @property {(task: () => void, ms: number) => unknown} setTimer
 * @property {(timer: unknown) => void} clearTimer
 * @property {() => number} random  0 to 1
 * @property {() => boolean} isHidden  the page is hidden: no retries meanwhile
 * @property {() => Promise<unknown>} reach  resolves if the server answers at all
 */

/**
 * `onValue` is typed as a method, so that any order is also an `Order<unknown>`.
 * @template [R=unknown]
 * @typedef {object} Order
 * @property {string} lane
 * @property {(signal: AbortSignal) => Promise<R>} send
 * @property {{on(value: R): void}["on"]} onValue
 * @property {() => void} onChange  `failure()` has changed
 * @property {number} [limit]  milliseconds after which no answer counts as a failure; none for what may take minutes
 * @property {boolean} [isUrgent]  the user waits for exactly this: sent even if others have just failed
 * @property {number} [most]  largest number of attempts while the server answers with a 5xx error
 */

/**
 * @typedef {object} Failure  why there is no answer yet
 * @property {"slow" | "failed"} kind  slow: still waiting, nothing has failed
 * @property {unknown} error
 * @property {number | null} retryAt  time of the automatic retry (as `now`); null if there is none
 * @property {boolean} isTrying  it is being retried
 * @property {boolean} canRetry  whether to offer a retry
 * @property {() => void} retry
 *
 * @typedef {{failure: () => Failure | null, cancel: () => void}} Job
 */

/** Largest number of concurrent requests, not counting those that may take minutes. */
const AT_ONCE = 6;
/** Milliseconds after which a request is reported as slow. */
const SLOW = 5_000;

export class Scheduler {
  #environment;
  /** @type {Map<string, Lane>} */
  #lanes = new Map();
  /** @type {unknown} */
  #timer = null;

  /** @param {Environment} environment */
  constructor(environment) {
    this.#environment = environment;
  }

  /** @template R @param {Order<R>} order @returns {Job} */
  submit(order) {
    const own = this.#lanes.get(order.lane) ?? openLane();
    this.#lanes.set(order.lane, own);
    const fresh = { failures: 0, error: null, seen: 0, isSlow: false, stop: null, timer: null };
    /** @type {Entry} */
    const entry = { most: MOST_ATTEMPTS, ...order, ...fresh, state: "queued", own };
    own.entries.add(entry);
    // After retries have ended, new requests are worth one more attempt, but not one for each.
    if (own.isOver) Object.assign(own, { isOver: false, due: own.struckAt + LOOK_EVERY });
    const isTold = Boolean(/** @type {{retryAfter?: number} | null} */ (own.error)?.retryAfter);
    if (own.isClosed && own.probe === null && entry.isUrgent && !isTold) this.#probe(entry);
    this.#pump();
    return { failure: () => failureOf(entry, () => this.retry()), cancel: () => this.#cancel(entry) };
  }

  /** Retries failed requests: in each lane one first, and the rest once it succeeds. */
  retry() {
    for (const lane of this.#lanes.values()) {
      for (const entry of lane.entries) {
        if (entry.state === "failed" || entry.state === "held") Object.assign(entry, { state: "held", failures: 0 });
        else if (entry.state === "asking" && entry.isSlow) this.#send(entry);
      }
      endWait(lane, this.#environment.now());
      lane.rounds = 1;
      tell(lane);
    }
    this.#pump();
  }

  /** The server seems to be back: retries what failed because it was away. */
  recover() {
    for (const lane of this.#lanes.values()) {
      if (isCutOff(lane) || lane.isOver) endWait(lane, this.#environment.now());
    }
    this.#pump();
  }

  /** The page is visible again: sends what became due meanwhile. */
  resume() {
    this.#pump();
  }

  /** Whether an answer is on its way that nothing has held up so far. */
  isAsking() {
    return this.#entries().some(({ own, state }) => !own.isClosed && (state === "queued" || state === "asking"));
  }

  #entries() {
    return [...this.#lanes.values()].flatMap(({ entries }) => [...entries]);
  }

  /** Sends what may be sent, and comes back when the next wait is over. */
  #pump() {
    const { now, setTimer, clearTimer, isHidden } = this.#environment;
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) {
      const next = nextOf(lane);
      if (next && now() >= lane.due && !isHidden()) {
        if (lane.isOver) void this.#look(lane);
        else this.#probe(next);
      }
      for (const entry of lane.isClosed ? [] : lane.entries) {
        if (entry.state === "queued" && this.#hasRoom(entry)) this.#send(entry);
      }
    }
    clearTimer(this.#timer);
    const due = Math.min(...lanes.filter(nextOf).map((lane) => lane.due));
    const isOver = due === Infinity || isHidden();
    this.#timer = isOver ? null : setTimer(() => this.#pump(), Math.max(0, Math.ceil(due - now())));
  }

  /** @param {Entry} entry */
  #hasRoom({ limit }) {
    const flying = this.#entries().filter((entry) => entry.state === "asking" && entry.limit !== undefined);
    return limit === undefined || flying.length < AT_ONCE;
  }

  /** @param {Entry} entry */
  #probe(entry) {
    entry.own.probe = entry;
    this.#send(entry);
    tell(entry.own);
  }

  /** After retries have ended, asks first whether the server answers at all, which is cheap. @param {Lane} lane */
  async #look(lane) {
    const { now, reach } = this.#environment;
    lane.due = Infinity;
    const isUp = await reach().then(
      () => true,
      () => false,
    );
    if (!lane.isOver) return;
    if (!isUp) Object.assign(lane, { rounds: 2, due: now() + LOOK_EVERY });
    else if (lane.rounds-- > 0) endWait(lane, now());
    this.#pump();
  }

  /** One attempt: reported as slow after a while, given up at its limit. @param {Entry} entry */
  #send(entry) {
    const { setTimer } = this.#environment;
    const { limit } = entry;
    this.#stop(entry);
    const stop = new AbortController();
    const slow = () => {
      entry.isSlow = true;
      if (limit !== undefined) entry.timer = setTimer(() => this.#fail(entry, noAnswer(limit)), limit - SLOW);
      entry.onChange();
    };
    Object.assign(entry, {
      state: "asking",
      seen: entry.own.strikes,
      isSlow: false,
      stop,
      timer: setTimer(slow, SLOW),
    });
    entry.send(stop.signal).then(
      (value) => entry.stop === stop && this.#succeed(entry, value),
      (error) => entry.stop === stop && this.#fail(entry, error),
    );
  }

  /** @param {Entry} entry */
  #stop(entry) {
    this.#environment.clearTimer(entry.timer);
    entry.stop?.abort();
    entry.stop = null;
  }

  /** It is no longer under way. @param {Entry} entry @returns {boolean} whether others waited for its outcome */
  #land(entry) {
    const wasProbe = entry.own.probe === entry;
    if (wasProbe) entry.own.probe = null;
    this.#stop(entry);
    return wasProbe;
  }

  /** @param {Entry} entry @param {unknown} value */
  #succeed(entry, value) {
    const { own } = entry;
    const wasCutOff = isCutOff(own);
    const isBack = this.#land(entry) || own.isClosed;
    own.entries.delete(entry);
    Object.assign(own, { strikes: 0, rounds: 1 });
    if (isBack) reopen(own);
    entry.onValue(value);
    if (isBack) tell(own);
    if (wasCutOff) this.recover();
    else this.#pump();
  }

  /** @param {Entry} entry @param {unknown} error */
  #fail(entry, error) {
    const { now, random } = this.#environment;
    const wasProbe = this.#land(entry);
    Object.assign(entry, { state: "failed", error, failures: entry.failures + 1 });
    if (isTemporary(error)) strike(entry, error, { now: now(), chance: random() });
    else if (wasProbe) reopen(entry.own);
    tell(entry.own);
    this.#pump();
  }

  /** @param {Entry} entry */
  #cancel(entry) {
    const { own } = entry;
    if (!own.entries.delete(entry)) return;
    // Rapidly changing wants do not each send a request.
    const wait = waitAfter(own.strikes, own.error, 0) ?? LOOK_EVERY;
    if (this.#land(entry) && own.isClosed) own.due = this.#environment.now() + wait;
    this.#pump();
  }
}

/** @param {Lane} lane */
function tell(lane) {
  for (const entry of [...lane.entries]) entry.onChange();
}
