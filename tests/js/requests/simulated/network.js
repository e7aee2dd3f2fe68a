/** A clock that is moved by hand, and a server that answers as the test says; every request is counted. */

import { ApiError } from "../../../../static/js/requests/api_request.js";
import { Scheduler } from "../../../../static/js/requests/request_scheduler.js";

/** Lets promises run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

export function createClock() {
  let now = 1000;
  /** @type {Map<number, {at: number, task: () => void}>} */
  const timers = new Map();
  let last = 0;
  return {
    now: () => now,
    setTimer(/** @type {() => void} */ task, /** @type {number} */ ms) {
      timers.set(++last, { at: now + Math.trunc(ms), task }); // as browsers do
      return last;
    },
    clearTimer: (/** @type {unknown} */ timer) => void timers.delete(/** @type {number} */ (timer)),
    /** Everything that happens within so many milliseconds, in its order. @param {number} ms */
    async pass(ms) {
      const end = now + ms;
      await settled();
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at)[0];
        if (!due) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].task();
        await settled();
      }
      now = end;
    },
  };
}

/** How the server may fail. @type {Record<string, () => ApiError>} */
export const FAILURES = {
  unreachable: () => new ApiError("no way", { code: "unreachable" }),
  ...Object.fromEntries(
    [404, 422, 429, 500, 502, 503, 504].map((status) => [
      String(status),
      () => new ApiError(`status ${status}`, { code: "any", status }),
    ]),
  ),
  "503 with Retry-After": () => new ApiError("busy", { code: "server_busy", status: 503, retryAfter: 7 }),
};

/**
 * A scheduler whose requests go to a server that fails as `server.fails` says; null: it answers, "hang": it never does.
 * @param {number} [chance]  what chance says, 0 to 1
 */
export function createNetwork(chance = 0) {
  const clock = createClock();
  const server = { fails: /** @type {string | null} */ (null), isHidden: false, isUp: true, looks: 0 };
  /** @type {{key: string, at: number, signal: AbortSignal}[]} */
  const sent = [];
  const scheduler = new Scheduler({
    ...clock,
    random: () => chance,
    isHidden: () => server.isHidden,
    async reach() {
      server.looks += 1;
      if (!server.isUp) throw new Error("down");
    },
  });
  /** @param {string} key @param {AbortSignal} signal */
  function answer(key, signal) {
    sent.push({ key, at: clock.now(), signal });
    if (server.fails === "hang") return new Promise((_, reject) => signal.addEventListener("abort", reject));
    if (server.fails) return Promise.reject(FAILURES[server.fails]());
    return Promise.resolve(`answer to ${key}`);
  }
  return { clock, server, sent, scheduler, answer, keys: () => sent.map(({ key }) => key) };
}
