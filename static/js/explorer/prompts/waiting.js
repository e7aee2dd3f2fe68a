/** How many prompts the server has done, with a button that stops it. */

import { el, fill, say } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} WaitingData
 * @property {{done: number, total: number} | null} progress  null before it is known
 * @property {number} count  prompts
 * @property {boolean} isStopped
 */

/**
 * @param {HTMLElement} element
 * @param {WaitingData} data
 * @param {{onStop: () => void, onGoOn: () => void}} options
 * @returns {import("../../base/mount.js").View<WaitingData>}
 */
export function waitingView(element, data, { onStop, onGoOn }) {
  const bar = el("div", { class: "progress-bar is-known" });
  const words = el("span", { role: "status" });
  const stop = el("button", { type: "button", class: "button is-small", onclick: onStop }, t("Stop"));
  const goOn = el("button", { type: "button", class: "button is-small", onclick: onGoOn }, t("Go on"));
  fill(element, bar, el("p", { class: "progress-line" }, words, stop, goOn));

  /** @param {WaitingData} next */
  function draw({ progress, count, isStopped }) {
    const { done, total } = progress ?? { done: 0, total: count };
    bar.style.setProperty("--done", String(total > 0 ? done / total : 0));
    stop.hidden = isStopped;
    goOn.hidden = !isStopped;
    const said = { done, total };
    say(words, isStopped ? t("Stopped at {done} of {total} prompts.", said) : t("{done} of {total} prompts", said));
  }

  draw(data);
  return { update: draw, destroy: () => element.replaceChildren() };
}
