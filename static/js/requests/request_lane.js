/**
 * A lane: requests of one kind, which fail and are retried together. After failures they wait; then one of them, the
 * probe, is sent, and when it succeeds the others follow. Pure; times are passed in.
 */

import { canRepeat, isAway, waitAfter } from "./retry_policy.js";

/** @typedef {import("./request_scheduler.js").Failure} Failure */
/** @typedef {import("./request_scheduler.js").Order} Order */

/**
 * @typedef {object} Attempts  of one request
 * @property {Lane} own
 * @property {"queued" | "asking" | "held" | "failed"} state  held: it failed, and is sent again by itself
 * @property {number} most  so often it is sent while the server answers with an error of its own
 * @property {number} failures
 * @property {unknown} error  of the last
 * @property {number} seen  strikes of its lane when it was sent
 * @property {boolean} isSlow
 * @property {AbortController | null} stop
 * @property {unknown} timer
 *
 * @typedef {Order & Attempts} Entry
 *
 * @typedef {object} Lane
 * @property {Set<Entry>} entries  the longest waiting first
 * @property {Entry | null} probe  sent to see whether it succeeds now
 * @property {boolean} isClosed  nothing is sent but one request at a time, each after a longer wait
 * @property {number} strikes  failures in a row
 * @property {unknown} error  of the last
 * @property {number} struckAt
 * @property {number} due  when the wait is over
 * @property {boolean} isOver  automatic retries have ended: what is due is a look at the server
 * @property {number} rounds  of retries that a server is worth that answers such looks
 */

/** Consecutive unexplained errors after which the lane is closed. */
const SAME_IN_A_ROW = 3;
/** Milliseconds between looks at the server, or attempts by new requests, after retries have ended. */
export const LOOK_EVERY = 30_000;

/** @returns {Lane} */
export function openLane() {
  const good = { isClosed: false, strikes: 0, error: null, struckAt: 0, due: 0, isOver: false, rounds: 1 };
  return { entries: new Set(), probe: null, ...good };
}

/**
 * A request has failed that may succeed later.
 * @param {Entry} entry
 * @param {unknown} error
 * @param {{now: number, chance: number}} circumstances
 */
export function strike(entry, error, { now, chance }) {
  const { own: lane, most } = entry;
  const isGone = isAway(error);
  // Requests that were in flight together count as one failure.
  if (entry.seen >= lane.strikes) lane.strikes += 1;
  const wait = waitAfter(isGone ? lane.strikes : Math.max(lane.strikes, entry.failures), error, chance);
  lane.isClosed ||= isGone || lane.strikes >= SAME_IN_A_ROW;
  Object.assign(lane, { error, struckAt: now, due: now + (wait ?? LOOK_EVERY), isOver: wait === null });
  entry.state = !isGone && entry.failures >= most ? "failed" : "held";
  // The next probe is another request, lest one that always fails keeps the others waiting.
  lane.entries.delete(entry);
  lane.entries.add(entry);
}

/** The server answers: what failed is sent again. @param {Lane} lane */
export function reopen(lane) {
  Object.assign(lane, { isClosed: false, error: null, isOver: false });
  for (const entry of lane.entries) {
    if (entry.state === "held") Object.assign(entry, { state: "queued", failures: entry.failures % entry.most });
  }
}

/** The next request is due. @param {Lane} lane @param {number} now */
export function endWait(lane, now) {
  Object.assign(lane, { strikes: 0, due: now, isOver: false });
}

/** The request to send as a probe when the wait is over. @param {Lane} lane @returns {Entry | undefined} */
export function nextOf({ entries, isClosed, probe }) {
  const waiting = probe === null ? [...entries] : [];
  const held = waiting.find(({ state }) => state === "held");
  return held ?? (isClosed ? waiting.find(({ state }) => state === "queued") : undefined);
}

/** Whether the server was unreachable, as opposed to busy. @param {Lane} lane */
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
export function failureOf({ state, own, error: mine, isSlow, failures }, retry) {
  const isAsking = state === "asking";
  const isTrying = isAsking ? failures > 0 || own.isClosed : own.probe !== null && state !== "failed";
  if (isAsking && !isTrying) {
    return isSlow ? { kind: "slow", error: null, retryAt: null, isTrying, canRetry: true, retry } : null;
  }
  if (state === "queued" && !own.isClosed) return null;
  const error = (state === "queued" ? null : mine) ?? own.error;
  const retryAt = state === "failed" || isTrying || own.isOver ? null : own.due;
  return { kind: "failed", error, retryAt, isTrying, canRetry: canRepeat(error), retry };
}
