/** Progress of an analysis: computing and for how long, waiting for a busy server, or failed. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bytes, fixed } from "../../base/numbers.js";

/** @typedef {import("../data/model_loading.js").LoadingProgress} ProgressData */

/** Milliseconds before the bar appears: a flash would say nothing. */
const PATIENCE = 300;
const TICK = 200;

/**
 * @param {HTMLElement} element
 * @param {ProgressData} data
 * @param {{onCancel: () => void, onRetry: () => void}} options
 * @returns {import("../../base/mount.js").View<ProgressData>}
 */
export function progressView(element, data, { onCancel, onRetry }) {
  const bar = el("div", { class: "progress-bar", hidden: true });
  const clock = el("span", { class: "progress-clock", "aria-hidden": "true" });
  const words = el("span", { role: "status" });
  const cancel = el(
    "button",
    { type: "button", class: "button is-small", hidden: true, onclick: onCancel },
    t("Stop waiting"),
  );
  const retry = el(
    "button",
    { type: "button", class: "button is-small", hidden: true, onclick: onRetry },
    t("Try again"),
  );
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const warnings = el("ul", { class: "warnings", hidden: true });
  const line = el("p", { class: "progress-line" }, words, clock, cancel, retry);
  fill(element, bar, line, problem, warnings);
  let current = data;
  /** @type {ReturnType<typeof setInterval> | null} */
  let timer = null;

  function draw() {
    const { phase } = current.progress;
    const isBusy = phase === "running" || phase === "waiting";
    if (isBusy && timer === null) timer = setInterval(tick, TICK);
    if (!isBusy && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    const { loading } = current;
    cancel.hidden = phase !== "waiting" && loading === null;
    // Words and buttons have a row of their own: beside the text they would push the others about.
    line.classList.toggle("is-waiting", !cancel.hidden);
    cancel.textContent = loading ? t("Stop loading") : t("Stop waiting");
    problem.hidden = current.problem === "";
    say(problem, current.problem);
    retry.hidden = current.problem === "" && phase !== "waiting";
    const text = {
      idle: current.summary,
      running: waitingWords(loading),
      waiting: current.progress.error?.message ?? "",
      failed: "",
      done: current.summary,
    }[phase];
    say(words, text);
    const { analysis } = current.progress;
    warn(phase === "failed" || !analysis ? [] : (analysis.warnings ?? []));
    tick();
  }

  /** @param {{message: string}[]} told */
  function warn(told) {
    warnings.hidden = told.length === 0;
    const lines = told.map(({ message }) => message);
    if (lines.join("\n") === [...warnings.children].map((line) => line.textContent).join("\n")) return;
    fill(warnings, ...lines.map((line) => el("li", {}, line)));
  }

  function tick() {
    const { phase, since, retryAt } = current.progress;
    const now = performance.now();
    bar.hidden = !(phase === "running" && now - since > PATIENCE);
    const { done_bytes: done = 0, total_bytes: total = 0 } = current.loading ?? {};
    bar.classList.toggle("is-known", total > 0);
    bar.style.setProperty("--done", String(total > 0 ? done / total : 0));
    if (phase === "waiting") {
      clock.textContent = t("Next attempt in {seconds} s", { seconds: Math.max(0, Math.ceil((retryAt - now) / 1000)) });
    } else if (current.loading?.done_bytes) clock.textContent = fetched(current.loading);
    else clock.textContent = bar.hidden ? "" : `${fixed((now - since) / 1000, 1)} s`;
  }

  draw();
  return {
    update(next) {
      current = next;
      draw();
    },
    destroy() {
      if (timer !== null) clearInterval(timer);
      element.replaceChildren();
    },
  };
}

/**
 * What an analysis that runs is waiting for.
 * @param {import("../../api/types.js").Loading | null} loading
 */
export function waitingWords(loading) {
  return loading ? loadingWords(loading.state) : t("Analysing …");
}

/** @param {import("../../api/types.js").Loading["state"]} state */
function loadingWords(state) {
  const words = {
    waiting: t("The model is waiting to be loaded."),
    fetching: t("Fetching the model"),
    checking: t("Checking the model's files …"),
    reading: t("Reading the model's weights …"),
    trying: t("Testing the model …"),
  };
  return state in words ? words[/** @type {keyof typeof words} */ (state)] : t("Analysing …");
}

/** @param {import("../../api/types.js").Loading} loading */
function fetched({ done_bytes: done, total_bytes: total }) {
  return total > 0 ? t("{done} of {total}", { done: bytes(done), total: bytes(total) }) : bytes(done);
}
