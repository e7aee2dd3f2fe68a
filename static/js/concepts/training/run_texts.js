/** The state of a run in words, and the numbers of the step shown. */

import { fixed } from "../../base/numbers.js";
import { isOver } from "./run.js";
import { isRecorded } from "../../requests/recorded_answers.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./run_source.js").TrainingData} TrainingData */

/** By the element that says it. @type {Record<string, (data: TrainingData) => string>} */
export const runTexts = {
  "#standing": ({ answer: { run, isRecorded: isBefore, isPending, leading } }) =>
    leading.isBeginning()
      ? t("Starting …")
      : run
        ? standingText(run)
        : leading.isOpening()
          ? t("Fetching the run …")
          : isBefore || isPending
            ? t("A recorded run: a network learns to sort. Press Run to train your own.")
            : t("Not run yet"),
  "#shown-step": ({ answer: { update } }) => (update ? String(update.step) : "–"),
  "#shown-loss": ({ answer: { update } }) => (update ? fixed(update.loss, 3) : "–"),
  "#shown-accuracy": ({ answer: { update } }) => (update ? `${Math.round(100 * update.accuracy)} %` : "–"),
  "#shown-seconds": ({ answer: { update } }) => (update ? `${fixed(update.seconds, 1)} s` : "–"),
  "#maps-note": ({ answer: { update, isRecorded: isBefore } }) => {
    if (!update) return t("The maps appear as soon as a network has been made.");
    const values = { step: update.step };
    return isBefore ? t("Of the recorded run, at step {step}.", values) : t("Of this run, at step {step}.", values);
  },
  "#run-problem": ({ answer }) => answer.problem,
  "#taking-note": ({ answer: { run } }) =>
    isRecorded()
      ? playedText(run)
      : run?.answer.not_exportable
        ? t("This network cannot be exported: transformers has no architecture that computes the same.")
        : t(
            "A paused or finished network opens in the Explorer like any model, or downloads as a folder in transformers' format.",
          ),
};

/** What a saved page plays. @param {import("./run_control.js").Run | null} run */
function playedText(run) {
  if (!run) return t("This file holds no run: it was saved before there was one.");
  const [maps, all] = [run.record.mapped().length, run.record.all().length];
  return maps === all
    ? t("This file plays one run, with the maps of all its {all} updates.", { all })
    : t("This file plays one run: the curves of all its {all} updates, and the maps of {maps} of them.", { all, maps });
}

/**
 * The state of a run in words.
 * @param {import("./run_control.js").Run} run
 * @returns {string}
 */
function standingText({ standing, isLost, answer, record }) {
  if (isLost && !isOver(standing)) return t("Connection lost; reconnecting …");
  const step = record.newest()?.step ?? 0;
  const steps = answer.config.steps;
  switch (standing.state) {
    case "starting":
      return t("Starting …");
    case "running":
      return t("Learning: step {step} of {steps}", { step, steps });
    case "paused":
      return t("Paused at step {step} of {steps}", { step, steps });
    case "finished":
      return t("Finished after {steps} steps", { steps });
    case "stopped":
      return t("Stopped at step {step}", { step });
    default:
      return t("Failed at step {step}", { step });
  }
}
