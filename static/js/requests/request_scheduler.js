/**
 * Schedules requests: a few at a time, and after a failure with increasing waits, one for all that failed together.
 * Requests of one kind share a lane. While the server is away, a lane is closed: a single request is sent after each
 * wait, and when it succeeds the others follow. Time and randomness are injected for tests.
 */

import { LOOK_EVERY, createLaneRunner } from "./lane_runner.js";
import { createAttempts } from "./request_attempts.js";
import { isGivenUp } from "./request_lane.js";

/**
 * @typedef {object} Environment
 * @property {() => number} now  milliseconds
 * @property {(task: () => void, ms: number) => unknown} setTimer
 * @property {(timer: unknown) => void} clearTimer
 * @property {() => number} random  0 to 1
 * @property {() => boolean} isHidden  the page is hidden: no retries meanwhile
 * @property {() => Promise<unknown>} reach  resolves if the server answers at all
 * @property {(ms: number) => Error} noAnswer  the error of a request that was given up after so long
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
 * @property {number} [attempts]  largest number of attempts while the server answers with a 5xx error
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
 *
 * @typedef {ReturnType<typeof createScheduler>} Scheduler
 */

/** @param {Environment} environment */
export function createScheduler(environment) {
  const attempts = createAttempts(environment);
  /** @type {Map<string, import("./lane_runner.js").LaneRunner>} */
  const lanes = new Map();
  const all = () => [...lanes.values()];
  const pumpAll = () => all().forEach(({ pump }) => pump());
  const retry = () => all().forEach((runner) => runner.retry());
  const recover = () => all().forEach((runner) => runner.recover());
  const given = () => all().flatMap(({ lane }) => (isGivenUp(lane) ? [lane] : []));
  const look = watchServer(environment, () => given().length > 0, found);

  /**
   * It answers. Where it never stopped answering, that is worth one more round of attempts, but only one.
   * @param {boolean} wasDown
   */
  function found(wasDown) {
    const isNews = wasDown || given().some(({ isRevived }) => !isRevived);
    for (const lane of given()) lane.isRevived = !wasDown;
    if (isNews) recover();
  }

  return {
    /** @template R @param {Order<R>} order @returns {Job} */
    submit(order) {
      const own = lanes.get(order.lane) ?? createLaneRunner(environment, attempts, { pumpAll, look, recover, retry });
      lanes.set(order.lane, own);
      return own.submit(order);
    },
    retry,
    recover,
    runners: all,
    /** The page is visible again: sends what became due meanwhile. */
    resume() {
      pumpAll();
      look();
    },
  };
}

/**
 * After retries have ended, checks from time to time whether the server answers; the check is cheap.
 * @param {Environment} environment
 * @param {() => boolean} isWanted  whether anything waits for it
 * @param {(wasDown: boolean) => void} found  it answers
 * @returns {() => void}  begins to look, if need be
 */
function watchServer({ setTimer, isHidden, reach }, isWanted, found) {
  /** @type {unknown} */
  let looking = null;
  let wasDown = false;
  const missed = () => {
    wasDown = true;
    look();
  };
  const answered = () => {
    const before = wasDown;
    wasDown = false;
    found(before);
  };
  return look;

  function look() {
    if (looking !== null || !isWanted()) return;
    looking = setTimer(() => {
      looking = null;
      if (!isHidden()) reach().then(answered, missed);
    }, LOOK_EVERY);
  }
}
