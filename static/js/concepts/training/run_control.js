/** Control training runs on the server: start, follow, pause, step, stop, and keep one to compare. */

import { askConcept } from "../../api/analyses.js";
import { getRun, postCommand, postModel } from "../../api/training.js";
import { followEvents, sayLeaving } from "../../api/server_events.js";
import { placed } from "../../base/place.js";
import { ApiError } from "../../requests/api_request.js";
import { createRecord, decodeUpdate, isOver } from "./run.js";
import { HELD, heldRun, MOST_BYTES, playedRun } from "./held_run.js";
import { isRecorded, recordedAt, unpacked } from "../../requests/recorded_answers.js";
import { withRequestOf } from "../../requests/sent_requests.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("../../api/training.js").RunAnswer} RunAnswer */
/** @typedef {import("../../api/training.js").RunState} RunState */

/**
 * @typedef {object} Run
 * @property {RunAnswer} answer
 * @property {RunState} standing
 * @property {import("./run.js").Played} record
 * @property {boolean} isLost  whether the connection is broken right now
 * @property {string} guess  what was predicted for it
 */

/**
 * Follows a run as long as it lasts.
 * @param {Run} run
 * @param {ReturnType<typeof createRecord>} record  its own
 * @param {() => void} onChange
 * @returns {() => void}  stops following
 */
function follow(run, record, onChange) {
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
      if (!(error instanceof ApiError) || error.status !== 404 || isOver(run.standing)) return;
      run.standing = { ...run.standing, state: "failed", reason: error.code === "run_lost" ? "crashed" : "unwatched" };
      stop();
      onChange();
    }
  }
}

/** @param {() => void} onChange */
export function createLeading(onChange) {
  /** @type {Run | null} */
  let run = null;
  /** @type {Run | null} */
  let kept = null;
  let problem = "";
  let isBeginning = false;
  /** @type {() => void} */
  let stopFollowing = () => undefined;
  addEventListener("pagehide", () => {
    if (run && !isOver(run.standing)) sayLeaving(`training/${run.answer.id}/stop`);
  });

  if (isRecorded()) void play();

  /** In a saved page: the runs that it holds. */
  async function play() {
    await unpacked();
    /** @type {import("./held_run.js").HeldRun[]} */
    const held = recordedAt(HELD) ?? [];
    [run = null, kept = null] = held.map(playedRun);
    onChange();
  }

  /** @param {unknown} error */
  function complain(error) {
    problem = error instanceof Error ? error.message : String(error);
    onChange();
  }

  return {
    run: () => run,
    kept: () => kept,
    problem: () => problem,
    isBeginning: () => isBeginning,
    /** @param {object} request @param {string} guess */
    async begin(request, guess) {
      if (isBeginning) return;
      isBeginning = true;
      problem = "";
      onChange();
      try {
        if (run && !isOver(run.standing)) await postCommand(run.answer.id, "stop").catch(() => null);
        stopFollowing();
        const answer = await askConcept({ stem: "training", body: request });
        const { state, reason, message, step } = answer;
        const record = createRecord();
        run = { answer, standing: { state, reason, message, step }, record, isLost: false, guess };
        stopFollowing = follow(run, record, onChange);
      } catch (error) {
        complain(error);
      } finally {
        isBeginning = false;
        onChange();
      }
    },
    /** @param {"pause" | "resume" | "step" | "stop"} what */
    async command(what) {
      if (!run) return;
      problem = "";
      await postCommand(run.answer.id, what).catch(complain);
    },
    /** The address of the network in the Explorer. @returns {Promise<string | null>} */
    async publish() {
      if (!run) return null;
      try {
        const { model, text } = await postModel(run.answer.id);
        return placed(`/?${new URLSearchParams({ model, text })}`);
      } catch (error) {
        complain(error);
        return null;
      }
    },
    /** Whether the server has the weights of a paused or ended run. */
    hasWeights() {
      if (!run || run.answer.not_exportable !== null) return false;
      const { state, reason } = run.standing;
      return state === "paused" || state === "finished" || (state === "stopped" && reason === "asked");
    },
    /** What a saved page must hold to play the run, and the one kept beside it. */
    async held() {
      if (!run?.record.newest()) return [];
      if (!isOver(run.standing))
        throw new Error(t("The run has not ended. Save the page once it has, or stop it first."));
      const runs = kept && kept !== run && isOver(kept.standing) ? [run, kept] : [run];
      return Promise.all(runs.map((one) => heldRun(one, MOST_BYTES / runs.length)));
    },
    keep() {
      kept = run;
      onChange();
    },
    forget() {
      kept = null;
      onChange();
    },
  };
}
