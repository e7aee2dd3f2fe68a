/** The page's request scheduler, with the browser's clock, network and visibility. */

import { ApiError, reachServer } from "./api_request.js";
import { t } from "../base/i18n.js";
import { createScheduler } from "./request_scheduler.js";

/** @typedef {import("./request_scheduler.js").Scheduler} Scheduler */

/** @type {Scheduler | null} */
let scheduler = null;

/** @returns {Scheduler} */
export function pageScheduler() {
  return (scheduler ??= start());
}

function start() {
  const mine = createScheduler({
    now: () => performance.now(),
    setTimer: (task, ms) => setTimeout(task, ms),
    clearTimer: (timer) => clearTimeout(/** @type {number} */ (timer)),
    random: () => Math.random(),
    isHidden: () => typeof document !== "undefined" && document.hidden,
    reach: reachServer,
    noAnswer,
  });
  if (typeof document !== "undefined") {
    addEventListener("online", mine.recover);
    document.addEventListener("visibilitychange", () => document.hidden || mine.resume());
  }
  return mine;
}

/** @param {number} ms */
function noAnswer(ms) {
  const message = t("The server has not responded for {seconds} seconds.", { seconds: Math.round(ms / 1000) });
  return new ApiError(message, { code: "no_answer" });
}
