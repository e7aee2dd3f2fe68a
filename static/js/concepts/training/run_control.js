/** Control training runs on the server: start, follow, pause, step, stop, and keep one to compare. */

import { askConcept, requestOfCall } from "../../api/analyses.js";
import { getRun, postCommand, postModel } from "../../api/training.js";
import { startsOf } from "../../base/fields.js";
import { placed } from "../../base/place.js";
import { createRecord, isOver } from "./run.js";
import { createFollowing, isGone } from "./run_following.js";
import { HELD, heldRun, MOST_BYTES, playedRun } from "./held_run.js";
import { isRecorded, recordedAt, unpacked } from "../../requests/recorded_answers.js";
import { noteRequest } from "../../requests/sent_requests.js";
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

/** @param {() => void} onChange */
export function createLeading(onChange) {
  /** @type {Run | null} */
  let run = null;
  /** @type {Run | null} */
  let kept = null;
  let isBeginning = false;
  let isOpening = false;
  /** Of the run that is shown, or about to be; "" where there is none. */
  let id = "";
  const following = createFollowing();
  const complaint = createComplaint(onChange);

  if (isRecorded()) {
    void runsOfPage().then((runs) => {
      [run = null, kept = null] = runs;
      onChange();
    });
  }

  return {
    run: () => run,
    kept: () => kept,
    problem: complaint.text,
    id: () => id,
    isBeginning: () => isBeginning,
    /** Whether a run of the server is on its way: until its first update what was there before stays. */
    isOpening: () => isOpening,
    /** @param {object} request @param {string} guess */
    async begin(request, guess) {
      if (isBeginning) return;
      isBeginning = true;
      const isNewest = following.next();
      isOpening = false;
      complaint.clear();
      onChange();
      try {
        if (run) await stopOwn(run);
        const begun = runOf(await askConcept({ stem: "training", body: request }), guess);
        if (!isNewest()) return;
        following.start(begun, onChange);
        run = begun;
        id = begun.answer.id;
      } catch (error) {
        complaint.make(error);
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
      const isNewest = following.next();
      id = wanted;
      isOpening = true;
      complaint.clear();
      try {
        const opened = runOf(await runOfServer(wanted), guess);
        if (!isNewest()) return;
        const { standing } = opened;
        following.start(opened, () => {
          const isThere = opened.record.newest() !== null || opened.standing !== standing;
          if (isThere && isNewest()) [run, isOpening] = [opened, false];
          onChange();
        });
      } catch (error) {
        if (!isNewest()) return;
        following.stop();
        [run, isOpening] = [null, false];
        if (isGone(error)) id = "";
        complaint.make(
          isGone(error) ? t("The server no longer has this run. Run trains a network with the settings above.") : error,
        );
      }
    },
    ...createRunActions(() => run, complaint),
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

/** In a saved page: the runs that it holds. */
async function runsOfPage() {
  await unpacked();
  /** @type {import("./held_run.js").HeldRun[]} */
  const held = recordedAt(HELD) ?? [];
  return held.map(playedRun);
}

/**
 * What went wrong last, until the next try.
 * @param {() => void} onChange
 */
function createComplaint(onChange) {
  let text = "";
  return {
    text: () => text,
    clear() {
      text = "";
    },
    /** @param {unknown} error */
    make(error) {
      text = error instanceof Error ? error.message : String(error);
      onChange();
    },
  };
}

/**
 * What one can do with the run that is shown.
 * @param {() => Run | null} shown
 * @param {ReturnType<typeof createComplaint>} complaint
 */
function createRunActions(shown, complaint) {
  return {
    /** @param {"pause" | "resume" | "step" | "stop"} what */
    async command(what) {
      const run = shown();
      if (!run) return;
      complaint.clear();
      await postCommand(run.answer.id, what).catch(complaint.make);
    },
    /** The address of the network in the Explorer. @returns {Promise<string | null>} */
    async publish() {
      const run = shown();
      if (!run) return null;
      try {
        return await addressOf(run);
      } catch (error) {
        complaint.make(error);
        return null;
      }
    },
    hasWeights() {
      const run = shown();
      return run !== null && hasWeights(run);
    },
  };
}

/** Stops a run of one's own that goes on; one that does not stop is no reason not to begin another. @param {Run} run */
async function stopOwn({ answer, standing }) {
  if (answer.yours && !isOver(standing)) await postCommand(answer.id, "stop").catch(() => null);
}

/**
 * A run that the server has. Its numbers can be had again by what began it, and by that alone once the server has dropped it.
 * @param {string} id
 */
async function runOfServer(id) {
  const answer = await getRun(id);
  noteRequest(answer, requestOfCall({ stem: "training", body: beginning(answer) }));
  return answer;
}

/** Where the Explorer shows the network of a run. @param {Run} run */
async function addressOf(run) {
  const { model, text } = await postModel(run.answer.id);
  return placed(`/?${new URLSearchParams({ model, text })}`);
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
