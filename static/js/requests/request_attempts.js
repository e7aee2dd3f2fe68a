/** One attempt at a request: sent, reported as slow after a while, aborted at its timeout. */

/** @typedef {import("./request_lane.js").Entry} Entry */

/** Largest number of concurrent requests, not counting those that may take minutes. */
const AT_ONCE = 6;
/** Milliseconds after which a request is reported as slow. */
const SLOW = 5_000;

/** @typedef {ReturnType<typeof createAttempts>} Attempts  of all lanes */

/** @param {Pick<import("./request_scheduler.js").Environment, "setTimer" | "clearTimer" | "noAnswer">} environment */
export function createAttempts({ setTimer, clearTimer, noAnswer }) {
  /** @type {Set<Entry>} */
  const flying = new Set();

  /** @param {Entry} entry */
  function start(entry) {
    const stop = new AbortController();
    Object.assign(entry, { state: "asking", round: entry.own.round, isSlow: false, stop });
    if (entry.limit !== undefined) flying.add(entry);
    entry.timer = setTimer(() => slow(entry, stop), SLOW);
    entry.send(stop.signal).then(
      (value) => entry.stop === stop && entry.succeed(value),
      (error) => entry.stop === stop && entry.fail(error),
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
    entry.fail(noAnswer(limit));
    stop.abort();
  }

  return {
    start,
    /** Whether it may be sent now. @param {Entry} entry */
    hasRoom: ({ limit }) => limit === undefined || flying.size < AT_ONCE,
    /** It is no longer under way. @param {Entry} entry */
    land(entry) {
      clearTimer(entry.timer);
      entry.stop = null;
      flying.delete(entry);
    },
    /** Sends it again instead of waiting further. @param {Entry} entry */
    restart(entry) {
      const { stop } = entry;
      clearTimer(entry.timer);
      start(entry);
      stop?.abort();
      entry.onChange();
    },
  };
}
