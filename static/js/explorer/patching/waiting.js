/** How many patched runs the server has done, with a button that cancels them. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} WaitingData
 * @property {import("../../api/patching.js").PatchingProgress | null} progress  null before it is known
 * @property {boolean} isStopped
 */

/**
 * @param {HTMLElement} element
 * @param {WaitingData} data
 * @param {{onStop: () => void, onGoOn: () => void}} options
 * @returns {import("../../base/mount.js").View<WaitingData>}
 */
export function waitingView(element, data, { onStop, onGoOn }) {
  const bar = el("div", { class: "progress-bar" });
  const words = el("span", { role: "status" });
  const stop = el("button", { type: "button", class: "button is-small", onclick: onStop }, t("Cancel"));
  const goOn = el("button", { type: "button", class: "button is-small", onclick: onGoOn }, t("Patch again"));
  fill(element, bar, el("p", { class: "progress-line" }, words, stop, goOn));

  /** @param {WaitingData} next */
  function draw({ progress, isStopped }) {
    const total = progress?.total ?? null;
    const done = progress?.done ?? 0;
    bar.hidden = isStopped;
    bar.classList.toggle("is-known", total !== null);
    bar.style.setProperty("--done", String(total ? done / total : 0));
    [stop.hidden, goOn.hidden] = [isStopped, !isStopped];
    const running =
      total === null ? t("Running the model on both prompts …") : t("{done} of {total} patched runs", { done, total });
    say(words, isStopped ? t("Cancelled.") : running);
  }

  draw(data);
  return { update: draw, destroy: () => element.replaceChildren() };
}
