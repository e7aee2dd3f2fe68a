/** The data of the training page: the current run, the run kept for comparison, what is drawn, and the step shown. */

import { noteRequest } from "../../requests/sent_requests.js";
import { request } from "./state.js";
import { requestOfCall } from "../../api/analyses.js";
import { createLeading } from "./run_control.js";
import { isRecorded as isSaved } from "../../requests/recorded_answers.js";
import { recordedRun } from "./recorded_run.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./run.js").Update} Update */
/** @typedef {import("./state.js").TrainingState} TrainingState */

/**
 * @typedef {object} Runs
 * @property {Run | null} run  of one's own
 * @property {Run | null} drawn  it, or the recorded one until its first update
 * @property {boolean} isRecorded  whether that is the recorded one
 * @property {boolean} isPending  whether a run is on its way: that of the address, or the recorded one
 * @property {Run | null} kept  beside it
 * @property {Update | null} update  shown
 * @property {number} index  of it; −1 where there is none
 * @property {number | null} looked  step that is looked at; null follows the newest
 * @property {string} problem
 * @property {ReturnType<typeof createLeading>} leading
 * @property {(step: number | null) => void} look
 */

/** @typedef {{state: Readonly<TrainingState>, answer: Runs}} TrainingData */

/**
 * By whose requests the numbers have come; before a run, by which they would: no request of the page itself begins one.
 * @param {TrainingData} data
 * @returns {unknown[]}
 */
export function drawnAnswers({ state, answer: { run, update, kept } }) {
  if (run) return [run.answer, update, kept?.answer];
  const offered = {};
  noteRequest(offered, requestOfCall({ stem: "training", body: request(state) }));
  return [offered];
}

/**
 * @param {() => void} onChange
 * @returns {(state: Readonly<Pick<TrainingState, "run" | "guess">>) => Runs}
 */
export function runSource(onChange) {
  const leading = createLeading(onChange);
  const recorded = recordedRun(onChange);
  let hasBegun = false;
  /** The run of the address, as last seen there. */
  let addressed = "";
  /** @type {number | null} */
  let looked = null;
  /** @param {number | null} step */
  function look(step) {
    looked = step;
    onChange();
  }
  /** Another run in the address, at the start or after Back, is the one to show. @param {{run: string, guess: string}} state */
  function followAddress({ run, guess }) {
    if (run === addressed || isSaved()) return;
    addressed = run;
    if (run === "" || run === leading.id()) return;
    looked = null;
    void leading.open(run, guess);
  }
  return (state) => {
    followAddress(state);
    const run = leading.run();
    const before = recorded();
    const isOpening = leading.isOpening();
    hasBegun = run !== null && (hasBegun || run.record.newest() !== null);
    const isRecorded = !hasBegun && !isOpening && before.run !== null;
    const drawn = isRecorded ? before.run : run;
    const update = drawn && (looked === null ? drawn.record.newest() : drawn.record.at(looked));
    const index = update && drawn ? drawn.record.mapped().indexOf(update) : -1;
    return {
      run,
      drawn,
      isRecorded,
      isPending: isOpening || (!hasBegun && before.isPending),
      kept: leading.kept(),
      update,
      index,
      looked,
      problem: leading.problem(),
      leading,
      look,
    };
  };
}
