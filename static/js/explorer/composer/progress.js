/** Progress of an analysis: computing and for how long, waiting for a busy server, or failed. */

import { el, fill, say, smallButton } from "../../base/dom.js";
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
  const cancel = smallButton(t("Stop waiting"), onCancel, { hidden: true });
  const retry = smallButton(t("Try again"), onRetry, { hidden: true });
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const warnings = el("ul", { class: "warnings", hidden: true });
  const line = el("p", { class: "progress-line" }, words, clock, cancel, retry);
  fill(element, bar, line, problem, warnings);
  let current = data;
  /** @type {ReturnType<typeof setInterval> | null} */
  let timer = null;

  function draw() {
    const { progress, loading } = current;
    const { phase, analysis } = progress;
    const isBusy = phase === "running" || phase === "waiting";
    if (isBusy && timer === null) timer = setInterval(tick, TICK);
    if (!isBusy && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    cancel.hidden = phase !== "waiting" && loading === null;
    // Words and buttons have a row of their own: beside the text they would push the others about.
    line.classList.toggle("is-waiting", !cancel.hidden);
    cancel.textContent = loading ? t("Stop loading") : t("Stop waiting");
    problem.hidden = current.problem === "";
    say(problem, current.problem);
    retry.hidden = current.problem === "" && phase !== "waiting";
    say(words, saidNow(current));
    warn(warnings, phase === "failed" || !analysis ? [] : (analysis.warnings ?? []));
    tick();
  }

  function tick() {
    const now = performance.now();
    const { phase, since } = current.progress;
    bar.hidden = !(phase === "running" && now - since > PATIENCE);
    const { done_bytes: done = 0, total_bytes: total = 0 } = current.loading ?? {};
    bar.classList.toggle("is-known", total > 0);
    bar.style.setProperty("--done", String(total > 0 ? done / total : 0));
    clock.textContent = clockWords(current, now);
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

/** @param {ProgressData} data */
function saidNow({ progress, loading, summary }) {
  return {
    idle: summary,
    running: waitingWords(loading),
    waiting: progress.error?.message ?? "",
    failed: "",
    done: summary,
  }[progress.phase];
}

/**
 * How long until the next attempt, how much of the model is there, or how long it has been computed.
 * @param {Pick<ProgressData, "progress" | "loading">} data
 * @param {number} now  milliseconds
 */
export function clockWords({ progress: { phase, since, retryAt }, loading }, now) {
  if (phase === "waiting") {
    return t("Next attempt in {seconds} s", { seconds: Math.max(0, Math.ceil((retryAt - now) / 1000)) });
  }
  if (loading?.done_bytes) return fetched(loading);
  return phase === "running" && now - since > PATIENCE ? `${fixed((now - since) / 1000, 1)} s` : "";
}

/** @param {HTMLElement} list @param {{message: string}[]} told */
function warn(list, told) {
  list.hidden = told.length === 0;
  const lines = told.map(({ message }) => message);
  if (lines.join("\n") === [...list.children].map((line) => line.textContent).join("\n")) return;
  fill(list, ...lines.map((line) => el("li", {}, line)));
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
