/** State of a lane: requests of one kind that fail and are retried together. Pure; times are passed in. */

import { MOST_ATTEMPTS, canRepeat, isAway, waitAfter } from "./retry_policy.js";

/** @typedef {import("./request_scheduler.js").Failure} Failure */
/** @typedef {import("./request_scheduler.js").Order} Order */

/**
 * @typedef {object} Attempts  of one request
 * @property {"queued" | "asking" | "held" | "failed"} state  held: it failed, and is sent again by itself
 * @property {number} attempts  that failed
 * @property {number} most  so often it is sent while the server answers with an error of its own
 * @property {unknown} error
 * @property {number} round  of its lane, when it was sent
 * @property {number | null} retryAt
 * @property {boolean} isSlow
 * @property {AbortController | null} stop
 * @property {unknown} timer
 * @property {Lane} own
 * @property {(value: unknown) => void} succeed
 * @property {(error: unknown) => void} fail
 *
 * @typedef {Order & Attempts} Entry
 *
 * @typedef {object} Lane
 * @property {Set<Entry>} jobs  oldest first
 * @property {number} strikes  failures in a row
 * @property {number} round  of requests that were under way together
 * @property {number} struckAt
 * @property {unknown} error  of the last
 * @property {boolean} isClosed  nothing is sent but one request at a time, each after a longer wait
 * @property {number | null} retryAt  of a closed lane; null when trying has ended
 * @property {Entry | null} probe  sent to see whether it succeeds now
 * @property {unknown} timer
 * @property {boolean} isRevived  after trying had ended, without a sign that anything has changed
 */

/** Consecutive unexplained errors after which the lane is closed. */
const SAME_IN_A_ROW = 3;

/** @returns {Lane} */
export function openLane() {
  const open = { isClosed: false, retryAt: null, probe: null, timer: null, isRevived: false };
  return { jobs: new Set(), strikes: 0, round: 0, struckAt: -Infinity, error: null, ...open };
}

/**
 * @param {Entry} entry
 * @param {unknown} error
 * @param {{now: number, chance: number}} at
 */
export function strike(entry, error, { now, chance }) {
  const { own } = entry;
  const isGone = isAway(error);
  // Requests that were in flight together count as one failure.
  if (entry.round === own.round) {
    own.strikes += 1;
    own.round += 1;
  }
  own.struckAt = now;
  own.error = error;
  const wait = !isGone && entry.attempts >= entry.most ? null : waitAfter(entry.attempts, error, chance);
  entry.retryAt = wait === null ? null : now + wait;
  entry.state = wait === null ? "failed" : "held";
  if (!isGone && own.strikes < SAME_IN_A_ROW) return;
  const pause = waitAfter(own.strikes, error, chance);
  own.isClosed = true;
  own.retryAt = pause === null ? null : now + pause;
}

/**
 * The server answers.
 * @param {Lane} lane
 * @param {boolean} wasProbe  on which those that failed were waiting
 */
export function reopen(lane, wasProbe) {
  Object.assign(lane, { strikes: 0, isClosed: false, error: null, retryAt: null });
  for (const entry of wasProbe ? lane.jobs : []) {
    if (entry.state === "held") entry.state = "queued";
    else if (entry.state === "failed" && isAway(entry.error)) Object.assign(entry, { state: "queued", attempts: 0 });
  }
}

/**
 * Allows all failed requests to be retried, one of them first.
 * @param {Lane} lane
 * @param {number} now
 * @param {(entry: Entry) => boolean} which
 */
export function revive(lane, now, which) {
  for (const entry of lane.jobs) {
    const hasFailed = entry.state === "failed" || entry.state === "held";
    if (hasFailed && which(entry)) Object.assign(entry, { state: "held", attempts: 0, retryAt: now });
  }
  Object.assign(lane, { strikes: 0, retryAt: now });
}

/**
 * A new request after retries have ended: worth one more attempt, but not one for each.
 * @param {Lane} lane
 * @param {number} at
 */
export function extend(lane, at) {
  lane.strikes = MOST_ATTEMPTS - 1;
  lane.retryAt = at;
}

/**
 * When the next retry is due.
 * @param {Lane} lane
 * @returns {number | null}
 */
export function dueOf({ jobs, isClosed, retryAt, probe }) {
  const waiting = [...jobs].filter(({ state }) => state === "held" || state === "queued");
  if (probe !== null) return null;
  if (isClosed) return waiting.length > 0 ? retryAt : null;
  const times = waiting.flatMap((one) => (one.state === "held" && one.retryAt !== null ? [one.retryAt] : []));
  return times.length > 0 ? Math.min(...times) : null;
}

/**
 * The request to send as a probe: the oldest failed one.
 * @param {Lane} lane
 * @param {number} now
 * @returns {Entry | undefined}
 */
export function nextOf({ jobs, isClosed }, now) {
  const held = [...jobs].filter(({ state, retryAt }) => state === "held" && (isClosed || (retryAt ?? Infinity) <= now));
  return held[0] ?? (isClosed ? [...jobs].find(({ state }) => state === "queued") : undefined);
}

/**
 * Whether retries have ended although the server may come back.
 * @param {Lane} lane
 */
export function isGivenUp({ jobs, isClosed, retryAt, probe, error }) {
  return isClosed && retryAt === null && probe === null && jobs.size > 0 && isAway(error);
}

/**
 * Whether the server was unreachable, as opposed to busy.
 * @param {Lane} lane
 */
export function isCutOff({ isClosed, error }) {
  const { status = 0 } = /** @type {{status?: number}} */ (error ?? {});
  return isClosed && isAway(error) && status !== 429 && status !== 503;
}

/**
 * Why there is no answer yet; null if nothing is wrong.
 * @param {Entry} entry
 * @param {() => void} retry
 * @returns {Failure | null}
 */
export function failureOf({ state, own, error: mine, retryAt, isSlow, attempts }, retry) {
  const isAsking = state === "asking";
  const isTrying = isAsking ? attempts > 0 || own.isClosed : own.probe !== null && state !== "failed";
  if (isAsking && !isTrying) {
    return isSlow ? { kind: "slow", error: null, retryAt: null, isTrying, canRetry: true, retry } : null;
  }
  if (state === "queued" && !own.isClosed) return null;
  const error = state === "queued" || mine === null ? own.error : mine;
  const at = state === "failed" || isTrying ? null : own.isClosed ? own.retryAt : retryAt;
  return { kind: "failed", error, retryAt: at, isTrying, canRetry: canRepeat(error), retry };
}
