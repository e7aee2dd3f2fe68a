/** Send the requests of one lane, and retry failed ones when they are due. */

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
/** @typedef {import("./request_scheduler.js").Environment} Environment */
/** @typedef {import("./request_scheduler.js").Order} Order */
/** @typedef {ReturnType<typeof createLaneRunner>} LaneRunner */

/**
 * @typedef {object} Scheduling  what concerns all lanes
 * @property {() => void} pumpAll  a place may be free
 * @property {() => void} look  something failed
 * @property {() => void} recover  the server is there again
 * @property {() => void} retry  somebody asks for it
 */

/** Milliseconds between attempts after retries have ended. */
export const LOOK_EVERY = 30_000;

/** @typedef {Pick<Environment, "now" | "setTimer" | "clearTimer" | "random" | "isHidden">} Circumstances */

/**
 * @param {Circumstances} environment
 * @param {import("./request_attempts.js").Attempts} attempts
 * @param {Scheduling} scheduling
 */
export function createLaneRunner(environment, attempts, scheduling) {
  const { now } = environment;
  const lane = openLane();
  const { pump, again, tryOne } = createSender(lane, environment, attempts);
  const { succeed, fail, cancel } = createOutcomes(lane, environment, attempts, scheduling);

  return {
    lane,
    pump,
    /** @param {Order} order @returns {import("./request_scheduler.js").Job} */
    submit({ attempts: most = MOST_ATTEMPTS, ...order }) {
      const fresh = { error: null, round: 0, retryAt: null, isSlow: false, stop: null, timer: null };
      /** @type {Entry} */
      const entry = {
        ...{ ...order, ...fresh, state: "queued", attempts: 0, most, own: lane },
        succeed: (value) => succeed(entry, value),
        fail: (error) => fail(entry, error),
      };
      lane.jobs.add(entry);
      const { isClosed, probe, error } = lane;
      const isTold = Boolean(/** @type {{retryAfter?: number} | null} */ (error)?.retryAfter);
      if (isClosed && lane.retryAt === null) extend(lane, Math.max(now(), lane.struckAt + LOOK_EVERY));
      if (isClosed && probe === null && entry.isUrgent && !isTold) tryOne(entry);
      pump();
      return { failure: () => failureOf(entry, scheduling.retry), cancel: () => cancel(entry) };
    },
    /** Retries failed requests: one first, and the rest once it succeeds. */
    retry() {
      for (const entry of lane.jobs) if (entry.state === "asking" && entry.isSlow) attempts.restart(entry);
      revive(lane, now(), () => true);
      lane.isRevived = false;
      if (lane.probe === null) again();
      pump();
    },
    /** The server seems to be back: retries what failed because it was away. */
    recover() {
      if (isCutOff(lane) || isGivenUp(lane)) revive(lane, now(), ({ error }) => isAway(error));
      pump();
    },
  };
}

/**
 * When the requests of a lane are sent.
 * @param {Lane} lane
 * @param {Circumstances} environment
 * @param {import("./request_attempts.js").Attempts} attempts
 */
function createSender(lane, { now, setTimer, clearTimer, isHidden }, attempts) {
  /** Sends what may be sent, and schedules retries. */
  function pump() {
    for (const entry of lane.isClosed ? [] : lane.jobs) {
      if (entry.state !== "queued") continue;
      if (!attempts.hasRoom(entry)) break;
      attempts.start(entry);
    }
    clearTimer(lane.timer);
    const due = dueOf(lane);
    lane.timer = due === null ? null : setTimer(again, Math.max(0, Math.ceil(due - now())));
  }

  function again() {
    lane.timer = null;
    if (isHidden()) return;
    const next = nextOf(lane, now());
    if (next) tryOne(next);
    else pump();
  }

  /** @param {Entry} entry */
  function tryOne(entry) {
    lane.probe = entry;
    attempts.start(entry);
    tell(lane);
  }

  return { pump, again, tryOne };
}

/**
 * Handles the outcome of a request for itself and its lane.
 * @param {Lane} lane
 * @param {Circumstances} environment
 * @param {import("./request_attempts.js").Attempts} attempts
 * @param {Scheduling} scheduling
 */
function createOutcomes(lane, { now, random }, attempts, { pumpAll, look, recover }) {
  /** It is no longer under way. @param {Entry} entry @returns {boolean} whether others waited for its outcome */
  function land(entry) {
    attempts.land(entry);
    const wasProbe = lane.probe === entry;
    if (wasProbe) lane.probe = null;
    return wasProbe;
  }

  return {
    /** @param {Entry} entry @param {unknown} value */
    succeed(entry, value) {
      const { isClosed } = lane;
      const wasProbe = land(entry);
      const isBack = wasProbe && isCutOff(lane);
      lane.jobs.delete(entry);
      reopen(lane, wasProbe);
      lane.isRevived = false;
      entry.onValue(value);
      if (isBack) recover();
      if (wasProbe || isClosed) tell(lane);
      pumpAll();
    },
    /** @param {Entry} entry @param {unknown} error */
    fail(entry, error) {
      const wasProbe = land(entry);
      Object.assign(entry, { state: "failed", error, retryAt: null, attempts: entry.attempts + 1 });
      if (isTemporary(error)) strike(entry, error, { now: now(), chance: random() });
      else if (wasProbe) reopen(lane, true);
      tell(lane);
      pumpAll();
      look();
    },
    /** @param {Entry} entry */
    cancel(entry) {
      const { stop } = entry;
      if (!lane.jobs.delete(entry)) return;
      // Rapidly changing wants do not each send a request.
      if (land(entry) && lane.isClosed) lane.retryAt = now() + (waitAfter(lane.strikes, lane.error, 0) ?? LOOK_EVERY);
      stop?.abort();
      pumpAll();
    },
  };
}

/** @param {Lane} lane */
function tell(lane) {
  for (const entry of [...lane.jobs]) entry.onChange();
}
