/** The state of a run in words, and the numbers of the step shown. */

import { fixed } from "../../base/numbers.js";
import { isOver } from "./run.js";
import { t } from "../../base/i18n.js";

/** @typedef {import("./run_source.js").TrainingData} TrainingData */

/** By the element that says it. @type {Record<string, (data: TrainingData) => string>} */
export const runTexts = {
  "#standing": ({ answer: { run, leading } }) =>
    leading.isBeginning() ? t("Starting …") : run ? standingText(run) : t("Not run yet"),
  "#shown-step": ({ answer: { update } }) => (update ? String(update.step) : "–"),
  "#shown-loss": ({ answer: { update } }) => (update ? fixed(update.loss, 3) : "–"),
  "#shown-accuracy": ({ answer: { update } }) => (update ? `${Math.round(100 * update.accuracy)} %` : "–"),
  "#shown-seconds": ({ answer: { update } }) => (update ? `${fixed(update.seconds, 1)} s` : "–"),
  "#run-problem": ({ answer }) => answer.problem,
  "#taking-note": ({ answer: { run } }) =>
    run?.answer.not_exportable
      ? t("This network cannot be exported: transformers has no architecture that computes the same.")
      : t(
          "A paused or finished network opens in the Explorer like any model, or downloads as a folder in transformers' format.",
        ),
};

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
