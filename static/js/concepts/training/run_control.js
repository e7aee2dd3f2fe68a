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
  return new Leading(onChange);
}

/** The run that is shown, or about to be, and the one kept beside it. */
class Leading {
  /** @type {Run | null} */
  #run = null;
  /** @type {Run | null} */
  #kept = null;
  #isBeginning = false;
  #isOpening = false;
  /** Of the run that is shown, or about to be; "" where there is none. */
  #id = "";
  #following = createFollowing();
  #complaint;
  #onChange;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#complaint = createComplaint(onChange);
    if (isRecorded()) void this.#takeRecorded();
  }

  async #takeRecorded() {
    [this.#run = null, this.#kept = null] = await runsOfPage();
    this.#onChange();
  }

  run = () => this.#run;
  kept = () => this.#kept;
  id = () => this.#id;
  problem = () => this.#complaint.text();
  isBeginning = () => this.#isBeginning;
  /** Whether a run of the server is on its way: until its first update what was there before stays. */
  isOpening = () => this.#isOpening;
  hasWeights = () => this.#run !== null && hasWeights(this.#run);
  /** What a saved page must hold to play the run, and the one kept beside it. */
  held = () => heldRuns(this.#run, this.#kept);

  keep() {
    this.#kept = this.#run;
    this.#onChange();
  }

  forget() {
    this.#kept = null;
    this.#onChange();
  }

  /** @param {object} request @param {string} guess */
  async begin(request, guess) {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    const isNewest = this.#following.next();
    this.#isOpening = false;
    this.#complaint.clear();
    this.#onChange();
    try {
      if (this.#run) await stopOwn(this.#run);
      const begun = runOf(await askConcept({ stem: "training", body: request }), guess);
      if (!isNewest()) return;
      this.#following.start(begun, this.#onChange);
      this.#run = begun;
      this.#id = begun.answer.id;
    } catch (error) {
      this.#complaint.make(error);
    } finally {
      this.#isBeginning = false;
      this.#onChange();
    }
  }

  /**
   * Shows a run that the server has, from its first update on.
   * @param {string} wanted  its id
   * @param {string} guess
   */
  async open(wanted, guess) {
    const isNewest = this.#following.next();
    this.#id = wanted;
    this.#isOpening = true;
    this.#complaint.clear();
    try {
      const opened = runOf(await runOfServer(wanted), guess);
      if (!isNewest()) return;
      const { standing } = opened;
      this.#following.start(opened, () => {
        const isThere = opened.record.newest() !== null || opened.standing !== standing;
        if (isThere && isNewest()) this.#show(opened);
        this.#onChange();
      });
    } catch (error) {
      if (!isNewest()) return;
      this.#following.stop();
      this.#show(null);
      if (isGone(error)) this.#id = "";
      this.#complaint.make(
        isGone(error) ? t("The server no longer has this run. Run trains a network with the settings above.") : error,
      );
    }
  }

  /** @param {Run | null} opened */
  #show(opened) {
    this.#run = opened;
    this.#isOpening = false;
  }

  /** @param {"pause" | "resume" | "step" | "stop"} what */
  async command(what) {
    if (!this.#run) return;
    this.#complaint.clear();
    await postCommand(this.#run.answer.id, what).catch(this.#complaint.make);
  }

  /** The address of the network in the Explorer. @returns {Promise<string | null>} */
  async publish() {
    if (!this.#run) return null;
    try {
      return await addressOf(this.#run);
    } catch (error) {
      this.#complaint.make(error);
      return null;
    }
  }
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
