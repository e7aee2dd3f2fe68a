/** Control training runs on the server: start, follow, pause, step, stop, and keep one to compare. */

import { askConcept, requestOfCall } from "../../api/analyses.js";
import { getRun, postCommand, postModel } from "../../api/training.js";
import { followEvents } from "../../api/server_events.js";
import { startsOf } from "../../base/fields.js";
import { placed } from "../../base/place.js";
import { ApiError } from "../../requests/api_request.js";
import { createRecord, decodeUpdate, isOver } from "./run.js";
import { HELD, heldRun, MOST_BYTES, playedRun } from "./held_run.js";
import { isRecorded, recordedAt, unpacked } from "../../requests/recorded_answers.js";
import { noteRequest, withRequestOf } from "../../requests/sent_requests.js";
import { fields, request as requestBy, settingsOf } from "./state.js";
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
 * @typedef {Run & {record: ReturnType<typeof createRecord>}} Followed  a run whose updates are still coming
 */

/** @param {RunAnswer} answer @param {string} guess @returns {Followed}  before its first update */
function runOf(answer, guess) {
  const { state, reason, message, step } = answer;
  return { answer, standing: { state, reason, message, step }, record: createRecord(), isLost: false, guess };
}

/** The body that begins such a run. @param {RunAnswer} answer */
const beginning = ({ config }) => requestBy({ ...startsOf(fields), ...settingsOf(config) });

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
  let isOpening = false;
  /** Of the run that is shown, or about to be; "" where there is none. */
  let id = "";
  /** Counts the runs begun and opened: what comes of an earlier one is not shown any more. */
  let turn = 0;
  /** @type {() => void} */
  let stopFollowing = () => undefined;

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
    id: () => id,
    isBeginning: () => isBeginning,
    /** Whether a run of the server is on its way: until its first update what was there before stays. */
    isOpening: () => isOpening,
    /** @param {object} request @param {string} guess */
    async begin(request, guess) {
      if (isBeginning) return;
      isBeginning = true;
      const mine = ++turn;
      isOpening = false;
      problem = "";
      onChange();
      try {
        if (run && run.answer.yours && !isOver(run.standing)) {
          await postCommand(run.answer.id, "stop").catch(() => null);
        }
        const answer = await askConcept({ stem: "training", body: request });
        if (mine !== turn) return;
        const begun = runOf(answer, guess);
        stopFollowing();
        stopFollowing = follow(begun, onChange);
        run = begun;
        id = answer.id;
      } catch (error) {
        complain(error);
      } finally {
        isBeginning = false;
        onChange();
      }
    },
    /**
     * Shows a run that the server has, from its first update on.
     * @param {string} wanted  its id
     * @param {string} guess
     */
    async open(wanted, guess) {
      const mine = ++turn;
      id = wanted;
      isOpening = true;
      problem = "";
      try {
        const answer = await getRun(wanted);
        if (mine !== turn) return;
        // Its numbers can be had again by what began it, and by that alone once the server has dropped it.
        noteRequest(answer, requestOfCall({ stem: "training", body: beginning(answer) }));
        const opened = runOf(answer, guess);
        const { standing } = opened;
        stopFollowing();
        stopFollowing = follow(opened, () => {
          const isThere = opened.record.newest() !== null || opened.standing !== standing;
          if (isThere && mine === turn) [run, isOpening] = [opened, false];
          onChange();
        });
      } catch (error) {
        if (mine !== turn) return;
        stopFollowing();
        [run, isOpening] = [null, false];
        const isGone = error instanceof ApiError && error.status === 404;
        if (isGone) id = "";
        complain(
          isGone ? t("The server no longer has this run. Run trains a network with the settings above.") : error,
        );
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
    hasWeights: () => run !== null && hasWeights(run),
    /** What a saved page must hold to play the run, and the one kept beside it. */
    held: () => heldRuns(run, kept),
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

/** Whether the server has the weights of a paused or ended run. @param {Run} run */
function hasWeights({ answer, standing: { state, reason } }) {
  if (answer.not_exportable !== null) return false;
  return state === "paused" || state === "finished" || (state === "stopped" && reason === "asked");
}

/**
 * @param {Run | null} run
 * @param {Run | null} kept
 * @throws {Error} if the run has not ended
 */
async function heldRuns(run, kept) {
  if (!run?.record.newest()) return [];
  if (!isOver(run.standing)) {
    throw new Error(t("The run has not ended. Save the page once it has, or stop it first."));
  }
  const runs = kept && kept !== run && isOver(kept.standing) ? [run, kept] : [run];
  return Promise.all(runs.map((run) => heldRun(run, MOST_BYTES / runs.length)));
}
