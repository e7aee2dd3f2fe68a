/** How far the server is with what takes minutes, with a button that stops it and one that goes on. */

import { el, fill, say, smallButton } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { drawnView } from "../../base/mount.js";

/**
 * @typedef {object} WaitingData
 * @property {number | null} share  0…1; null before it is known
 * @property {boolean} hasBar
 * @property {boolean} isStopped
 * @property {string} words
 */

/**
 * @param {HTMLElement} element
 * @param {WaitingData} data
 * @param {{names?: {stop: string, goOn: string}, stop: () => void, goOn: () => void}} options
 * @returns {import("../../base/mount.js").View<WaitingData>}
 */
export function waitingView(element, data, { names = { stop: t("Stop"), goOn: t("Go on") }, ...choices }) {
  const bar = el("div", { class: "progress-bar is-in-flow" });
  const words = el("span", { role: "status" });
  const stop = smallButton(names.stop, choices.stop);
  const goOn = smallButton(names.goOn, choices.goOn);
  fill(element, bar, el("p", { class: "progress-line" }, words, stop, goOn));

  /** @param {WaitingData} next */
  function draw({ share, hasBar, isStopped, words: said }) {
    bar.hidden = !hasBar;
    bar.classList.toggle("is-known", share !== null);
    bar.style.setProperty("--done", String(share ?? 0));
    stop.hidden = isStopped;
    goOn.hidden = !isStopped;
    say(words, said);
  }

  return drawnView(element, data, draw);
}

/**
 * Of what gives nothing before its end: there is no bar once it is cancelled.
 * @param {number | null} share
 * @param {boolean} isStopped
 * @param {string} running  said while it runs
 * @returns {WaitingData}
 */
export function cancellable(share, isStopped, running) {
  return { share, hasBar: !isStopped, isStopped, words: isStopped ? t("Cancelled.") : running };
}
