/** How far the server is with what takes minutes, with a button that stops it and one that goes on. */

import { el, fill, say, smallButton } from "../../base/dom.js";
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
 * @param {{names: {stop: string, goOn: string}, onStop: () => void, onGoOn: () => void}} options
 * @returns {import("../../base/mount.js").View<WaitingData>}
 */
export function waitingView(element, data, { names, onStop, onGoOn }) {
  const bar = el("div", { class: "progress-bar is-in-flow" });
  const words = el("span", { role: "status" });
  const stop = smallButton(names.stop, onStop);
  const goOn = smallButton(names.goOn, onGoOn);
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
