/** The data of the training page: the current run, the run kept for comparison, and the step shown. */

import { createLeading } from "./run_control.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./run.js").Update} Update */
/** @typedef {import("./state.js").TrainingState} TrainingState */

/**
 * @typedef {object} Runs
 * @property {Run | null} run
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
 * @param {() => void} onChange
 * @returns {() => Runs}
 */
export function runSource(onChange) {
  const leading = createLeading(onChange);
  /** @type {number | null} */
  let looked = null;
  /** @param {number | null} step */
  function look(step) {
    looked = step;
    onChange();
  }
  return () => {
    const run = leading.run();
    const update = run && (looked === null ? run.record.newest() : run.record.at(looked));
    const index = update && run ? run.record.mapped().indexOf(update) : -1;
    return { run, kept: leading.kept(), update, index, looked, problem: leading.problem(), leading, look };
  };
}
