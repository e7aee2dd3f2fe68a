/** The export menu: the view as an image, its numbers, and a page that works without a network. */

import { el, fill, need, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { bindClosing } from "../widgets/dropdown.js";

/**
 * @typedef {object} ExportChoice
 * @property {string} name  on the button
 * @property {string} spoken  accessible name
 * @property {(tools: Tools) => Promise<void | string>} run  what is to be said then, unless that it is saved
 *
 * @typedef {object} Tools
 * @property {AbortSignal} signal
 * @property {(bytes: number) => void} onBytes
 *
 * @typedef {object} ExportGroup
 * @property {string} title
 * @property {string} note
 * @property {string} obstacle  why it cannot be exported; "" if it can
 * @property {ExportChoice[]} choices
 * @property {boolean} [isImage]
 *
 * @typedef {object} ExportData
 * @property {ExportGroup[]} groups
 * @property {string} obstacle  why nothing can be exported; "" if it can
 */

const MEGA = 2 ** 20;

/**
 * @param {HTMLElement} element  a `<details>`
 * @param {ExportData} data
 * @param {{settings: HTMLElement}} options  what is set for all images, below them
 * @returns {import("../../base/mount.js").View<ExportData>}
 */
export function exportMenuView(element, data, { settings }) {
  const details = /** @type {HTMLDetailsElement} */ (element);
  const list = el("div", { class: "export-groups" });
  const status = el("span", { role: "status" });
  const cancel = smallButton(t("Cancel"), null, { hidden: true });
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const line = el("p", { class: "export-status note" }, status, cancel);
  const barred = el("p", { class: "export-obstacle", hidden: true });
  const run = createExportRun(({ isRunning, message, failure }) => {
    cancel.hidden = !isRunning;
    status.textContent = message;
    problem.hidden = failure === "";
    problem.textContent = failure;
  });
  fill(need(details, ".export-panel"), barred, list, line, problem);
  cancel.addEventListener("click", run.cancel);
  const unbind = bindClosing(details);

  /** @param {ExportData} next */
  function draw({ groups, obstacle }) {
    barred.hidden = obstacle === "";
    barred.textContent = obstacle;
    const sections = (/** @type {boolean} */ isImage) =>
      groups
        .filter((group) => isImage === Boolean(group.isImage))
        .map((group) => section(group, obstacle !== "", run.start));
    fill(list, ...sections(true), settings, ...sections(false));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      run.cancel();
      unbind();
      fill(need(details, ".export-panel"));
    },
  };
}

/**
 * @typedef {object} ExportProgress
 * @property {boolean} isRunning
 * @property {string} message
 * @property {string} failure  "" where there is none
 */

/**
 * One export at a time: a new one replaces one in progress.
 * @param {(progress: ExportProgress) => void} tell
 */
export function createExportRun(tell) {
  /** @type {AbortController | null} */
  let running = null;

  /** @param {string} message @param {string} [failure] */
  function end(message, failure = "") {
    running = null;
    tell({ isRunning: false, message, failure });
  }

  return {
    cancel: () => running?.abort(),
    /** @param {Pick<ExportChoice, "name" | "run">} choice */
    async start({ name, run }) {
      running?.abort();
      const mine = new AbortController();
      running = mine;
      const say = (/** @type {string} */ message) => tell({ isRunning: true, message, failure: "" });
      say(t("{name}: preparing …", { name }));
      const onBytes = (/** @type {number} */ bytes) => {
        if (running === mine) say(t("{name}: {size} MB", { name, size: (bytes / MEGA).toFixed(1) }));
      };
      try {
        const said = await run({ signal: mine.signal, onBytes });
        if (running === mine) end(said || t("{name}: saved.", { name }));
      } catch (error) {
        if (running !== mine) return;
        if (mine.signal.aborted) end(t("{name}: cancelled.", { name }));
        else end("", error instanceof Error ? error.message : String(error));
      }
    },
  };
}

/**
 * @param {ExportGroup} group
 * @param {boolean} isBarred
 * @param {(choice: ExportChoice) => Promise<void>} onChoose
 */
function section({ title, note, obstacle, choices }, isBarred, onChoose) {
  const buttons = choices.map((choice) => {
    const label = { "aria-label": `${choice.name}: ${choice.spoken}`, disabled: isBarred || obstacle !== "" };
    return smallButton(choice.name, () => void onChoose(choice), label);
  });
  return el(
    "div",
    { class: "export-group", role: "group", "aria-label": title },
    el("p", { class: "export-title" }, title),
    el("div", { class: "export-buttons" }, ...buttons),
    el("p", { class: "note" }, obstacle || note),
  );
}
