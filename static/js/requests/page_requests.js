/** The page's request scheduler, with the browser's clock, network and visibility. */

import { Scheduler } from "./request_scheduler.js";
import { reachServer } from "./api_request.js";

/** @type {Scheduler | null} */
let scheduler = null;

/** @returns {Scheduler} */
export function pageScheduler() {
  return (scheduler ??= start());
}

function start() {
  const mine = new Scheduler({
    now: () => performance.now(),
    setTimer: (task, ms) => setTimeout(task, ms),
    clearTimer: (timer) => clearTimeout(/** @type {number} */ (timer)),
    random: () => Math.random(),
    isHidden: () => typeof document !== "undefined" && document.hidden,
    reach: reachServer,
  });
  if (typeof document !== "undefined") {
    addEventListener("online", () => mine.recover());
    document.addEventListener("visibilitychange", () => document.hidden || mine.resume());
  }
  return mine;
}
