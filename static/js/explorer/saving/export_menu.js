/** A menu of files: the view as a picture, its numbers, and a page that works without a network. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} ExportChoice
 * @property {string} name  on the button
 * @property {string} spoken  what it is, for those who do not see what it stands beside
 * @property {(tools: Tools) => Promise<void>} run
 *
 * @typedef {object} Tools
 * @property {AbortSignal} signal
 * @property {(bytes: number) => void} onBytes
 *
 * @typedef {object} ExportGroup
 * @property {string} title
 * @property {string} note
 * @property {string} obstacle  why it cannot be had; "" where it can
 * @property {ExportChoice[]} choices
 *
 * @typedef {object} ExportData
 * @property {ExportGroup[]} groups
 * @property {string} obstacle  why nothing can be had; "" where it can
 */

const MEGA = 2 ** 20;

/**
 * @param {HTMLElement} element  a `<details>`
 * @param {ExportData} data
 * @returns {import("../../api/types.js").View<ExportData>}
 */
export function exportMenuView(element, data) {
  const details = /** @type {HTMLDetailsElement} */ (element);
  const list = el("div", { class: "export-groups" });
  const status = el("span", { role: "status" });
  const cancel = el("button", { type: "button", class: "button is-small", hidden: true }, t("Cancel"));
  const problem = el("p", { class: "field-error", role: "alert", hidden: true });
  const line = el("p", { class: "export-status note" }, status, cancel);
  const barred = el("p", { class: "export-obstacle", hidden: true });
  const panel = el("div", { class: "export-panel" }, barred, list, line, problem);
  const summary = el("summary", { class: "button" }, t("Export"));
  fill(element, summary, panel);
  /** @type {AbortController | null} */
  let running = null;
  const listening = new AbortController();
  const { signal } = listening;

  cancel.addEventListener("click", () => running?.abort());
  element.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !details.open) return;
      event.preventDefault();
      event.stopPropagation();
      details.open = false;
      summary.focus();
    },
    { signal },
  );
  document.addEventListener(
    "pointerdown",
    (event) => {
      if (event.target instanceof Node && !element.contains(event.target)) details.open = false;
    },
    { signal },
  );

  /**
   * @param {ExportGroup} group
   * @param {boolean} isBarred
   */
  function section({ title, note, obstacle, choices }, isBarred) {
    const buttons = choices.map((choice) => {
      const label = { "aria-label": `${choice.name}: ${choice.spoken}`, disabled: isBarred || obstacle !== "" };
      const onclick = () => void run(choice);
      return el("button", { type: "button", class: "button is-small", ...label, onclick }, choice.name);
    });
    return el(
      "div",
      { class: "export-group", role: "group", "aria-label": title },
      el("p", { class: "export-title" }, title),
      el("div", { class: "export-buttons" }, ...buttons),
      el("p", { class: "note" }, obstacle || note),
    );
  }

  /** @param {ExportChoice} choice */
  async function run(choice) {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    problem.hidden = true;
    cancel.hidden = false;
    status.textContent = t("{name}: being made …", { name: choice.name });
    const onBytes = (/** @type {number} */ bytes) => {
      if (running === mine)
        status.textContent = t("{name}: {size} MB", { name: choice.name, size: (bytes / MEGA).toFixed(1) });
    };
    try {
      await choice.run({ signal: mine.signal, onBytes });
      if (running === mine) finish(t("{name}: saved.", { name: choice.name }), "");
    } catch (error) {
      if (running !== mine) return;
      if (mine.signal.aborted) finish(t("{name}: cancelled.", { name: choice.name }), "");
      else finish("", error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {string} message
   * @param {string} failure
   */
  function finish(message, failure) {
    running = null;
    cancel.hidden = true;
    status.textContent = message;
    problem.hidden = failure === "";
    problem.textContent = failure;
  }

  /** @param {ExportData} next */
  function draw({ groups, obstacle }) {
    barred.hidden = obstacle === "";
    barred.textContent = obstacle;
    fill(list, ...groups.map((group) => section(group, obstacle !== "")));
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      running?.abort();
      listening.abort();
      element.replaceChildren();
    },
  };
}
