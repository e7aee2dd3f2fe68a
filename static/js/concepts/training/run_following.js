/** Follow a run of the server by its events, one run at a time. */

import { getRun } from "../../api/training.js";
import { followEvents } from "../../api/server_events.js";
import { ApiError } from "../../requests/api_request.js";
import { decodeUpdate, isOver } from "./run.js";
import { withRequestOf } from "../../requests/sent_requests.js";

/** @typedef {import("../../api/training.js").RunState} RunState */
/** @typedef {import("./run_control.js").Followed} Followed */

/** Follows one run at a time: what comes of those begun and opened before is not shown any more. */
export function createFollowing() {
  let turn = 0;
  /** @type {() => void} */
  let stop = () => undefined;
  return {
    /** Another run is asked for. @returns {() => boolean}  whether none has been since */
    next() {
      const mine = ++turn;
      return () => mine === turn;
    },
    /** @param {Followed} run @param {() => void} onChange */
    start(run, onChange) {
      stop();
      stop = follow(run, onChange);
    },
    stop: () => stop(),
  };
}

/**
 * Follows a run as long as it lasts.
 * @param {Followed} run
 * @param {() => void} onChange
 * @returns {() => void}  stops following
 */
function follow(run, onChange) {
  const { record } = run;
  const stop = followEvents(`training/${run.answer.id}/events`, {
    on: {
      update(/** @type {import("./run.js").UpdateJson} */ data) {
        record.add(withRequestOf(decodeUpdate(data), data));
        onChange();
      },
      state(/** @type {RunState} */ data) {
        run.standing = data;
        if (isOver(data)) stop();
        onChange();
      },
    },
    onOpen() {
      run.isLost = false;
      onChange();
    },
    last: () => record.newest()?.step ?? -1,
    onLost(retryAt) {
      if (isOver(run.standing)) return;
      run.isLost = true;
      onChange();
      if (retryAt !== null) void ask();
    },
  });
  return stop;

  /** Whether the run is still there: an event stream that is refused does not say why. */
  async function ask() {
    try {
      await getRun(run.answer.id);
    } catch (error) {
      if (!isGone(error) || isOver(run.standing)) return;
      run.standing = { ...run.standing, state: "failed", reason: error.code === "run_lost" ? "crashed" : "unwatched" };
      stop();
      onChange();
    }
  }
}

/** Whether the server has no such run any more. @param {unknown} error @returns {error is ApiError} */
export function isGone(error) {
  return error instanceof ApiError && error.status === 404;
}
