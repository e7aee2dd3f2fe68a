/** The controls of a run: predict, run, pause, step, stop, scrub; keep one to compare; take the network along. */

import { el, fill, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";
import { standingText } from "./run_control.js";
import { isOver } from "./run.js";
import { guesses, isInductive } from "./state.js";
import { verdict } from "./verdict.js";

/** @typedef {import("./run_control.js").Run} Run */
/** @typedef {import("./state.js").TrainingState} TrainingState */
/** @typedef {ReturnType<typeof import("./run_control.js").createLeading>} Leading */

/** The choice not to predict. */
const WATCH = "watch";

/**
 * @param {Document} root
 * @param {Leading} leading
 * @param {{onGuess: (guess: string) => void, onBegin: () => void, onScrub: (index: number, isNewest: boolean) => void}} options
 */
export function bindTrainingControls(root, leading, { onGuess, onBegin, onScrub }) {
  const begin = button("#begin", onBegin);
  const pause = button("#pause", () => {
    const isPaused = leading.run()?.standing.state === "paused";
    void leading.command(isPaused ? "resume" : "pause");
  });
  const step = button("#step", () => void leading.command("step"));
  const stop = button("#stop", () => void leading.command("stop"));
  const keep = button("#keep", () => (leading.kept() ? leading.forget() : leading.keep()));
  const open = button("#open-explorer", () => {
    void leading.publish().then((address) => address && location.assign(address));
  });
  const pack = /** @type {HTMLAnchorElement} */ (need(root, "#download"));
  const scrub = /** @type {HTMLInputElement} */ (need(root, "#scrub"));
  scrub.addEventListener("input", () => onScrub(Number(scrub.value), scrub.value === scrub.max));
  const predictions = bindPredictions(root, onGuess);

  /** @param {string} selector @param {() => void} onClick */
  function button(selector, onClick) {
    const found = /** @type {HTMLButtonElement} */ (need(root, selector));
    found.addEventListener("click", onClick);
    return found;
  }

  /** @param {Readonly<TrainingState>} state @param {number} index  of the update shown */
  return (state, index) => {
    const run = leading.run();
    const standing = run?.standing ?? null;
    const isActive = standing !== null && !isOver(standing);
    predictions(state);
    begin.disabled = state.guess === "" || leading.isBeginning();
    begin.textContent = run ? t("Run again") : t("Run");
    pause.disabled = !isActive || standing.state === "starting";
    pause.textContent = standing?.state === "paused" ? t("Go on") : t("Pause");
    step.disabled = pause.disabled;
    stop.disabled = !isActive;
    keep.disabled = !run?.record.newest() && !leading.kept();
    keep.textContent = leading.kept() ? t("Forget the kept run") : t("Keep this run to compare");
    drawScrub(run, index);
    drawTaking(run);
    drawProblem();
  };

  /** @param {Run | null} run @param {number} index */
  function drawScrub(run, index) {
    const updates = run?.record.all() ?? [];
    scrub.disabled = updates.length < 2;
    scrub.max = String(Math.max(updates.length - 1, 1));
    scrub.value = String(Math.max(index, 0));
    const shown = updates[index];
    scrub.setAttribute("aria-valuetext", shown ? t("step {step}", { step: shown.step }) : "");
    const says = (/** @type {string} */ id, /** @type {string} */ text) => {
      const place = need(root, id);
      if (place.textContent !== text) place.textContent = text;
    };
    says("#standing", leading.isBeginning() ? t("Starting …") : run ? standingText(run) : t("Not run yet"));
    says("#shown-step", shown ? String(shown.step) : "–");
    says("#shown-loss", shown ? fixed(shown.loss, 3) : "–");
    says("#shown-accuracy", shown ? `${Math.round(100 * shown.accuracy)} %` : "–");
    says("#shown-seconds", shown ? `${fixed(shown.seconds, 1)} s` : "–");
  }

  /** @param {Run | null} run */
  function drawTaking(run) {
    const hasWeights = leading.hasWeights();
    open.disabled = !hasWeights;
    pack.toggleAttribute("data-off", !hasWeights);
    if (hasWeights && run) pack.href = `/api/training/${run.answer.id}/model`;
    else pack.removeAttribute("href");
    if (hasWeights) pack.removeAttribute("aria-disabled");
    else pack.setAttribute("aria-disabled", "true");
    const reason = run?.answer.not_exportable;
    need(root, "#taking-note").textContent = reason
      ? t("This network cannot be taken along: transformers has no architecture that computes the same.")
      : t(
          "A network that is paused or has ended opens in the Explorer like any model, or comes as a folder in transformers' format.",
        );
  }

  function drawProblem() {
    const place = need(root, "#run-problem");
    const problem = leading.problem();
    place.hidden = problem === "";
    if (place.textContent !== problem) place.textContent = problem;
  }
}

/**
 * @param {Document} root
 * @param {(guess: string) => void} onGuess
 */
function bindPredictions(root, onGuess) {
  const place = need(root, "#guesses");
  let known = "";
  return (/** @type {Readonly<TrainingState>} */ state) => {
    const offered = [...guesses(state), /** @type {[string, string]} */ ([WATCH, t("I only watch")])];
    const key = offered.map(([value, words]) => value + words).join();
    if (key !== known) {
      known = key;
      need(root, "#guess-question").textContent = isInductive(state.task)
        ? t("What will happen?")
        : t("Will it learn this?");
      const choices = offered.map(([value, words]) => {
        const input = el("input", { type: "radio", name: "guess", value, onchange: () => onGuess(value) });
        return el("label", { class: "check" }, input, words);
      });
      fill(place, ...choices);
    }
    for (const input of place.querySelectorAll("input")) input.checked = input.value === state.guess;
  };
}

/**
 * Whether the prediction has come true, and why things went as they did.
 * @param {Document} root
 */
export function bindVerdict(root) {
  const place = need(root, "#verdict");
  let known = "";
  return (/** @type {Run | null} */ run) => {
    place.hidden = run === null;
    if (run === null) return;
    const guess = run.guess === WATCH ? "" : run.guess;
    const judged = { answer: run.answer, standing: run.standing, updates: run.record.all() };
    const { isRight, title, says } = verdict(judged, guess);
    const key = `${isRight}${title}${says.join()}`;
    if (key === known) return;
    known = key;
    const mark = isRight === null ? null : isRight ? t("As predicted.") : t("Not as predicted.");
    fill(
      place,
      el(
        "p",
        { class: "verdict-title" },
        mark && el("strong", { class: isRight ? "is-good" : "is-bad" }, mark),
        " ",
        title,
      ),
      ...says.map((text) => el("p", {}, text)),
    );
  };
}
