/** The line over a picture that is not of what is asked for: what it still is, why, and the ways on. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";

/**
 * @typedef {object} StandingData
 * @property {import("../state/freshness.js").Standing} standing
 */

/** Milliseconds before a picture that is on its way is announced: most are there by then. */
const PATIENCE = 300;

/**
 * @param {HTMLElement} element
 * @param {StandingData} data
 * @param {{onBack: () => void}} options  `onBack`: to what is shown
 * @returns {import("../../api/types.js").View<StandingData>}
 */
export function standingView(element, data, { onBack }) {
  const still = el("strong", {});
  const why = el("span", {});
  const words = el("p", { class: "standing-words", role: "status" }, still, " ", why);
  const back = el("button", { type: "button", class: "button", onclick: onBack }, t("Back to what is shown"));
  const barred = el("p", { class: "note" }, t("An out-of-date view cannot be exported or shared."));
  fill(element, el("div", { class: "standing-line" }, words, back), barred);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  draw(data);

  /** @param {StandingData} next */
  function draw({ standing }) {
    clearTimeout(timer);
    const isUnderWay = standing.kind === "running";
    if (isUnderWay && element.hidden) timer = setTimeout(() => (element.hidden = false), PATIENCE);
    else element.hidden = false;
    if (still.textContent !== standing.still) still.textContent = standing.still;
    if (why.textContent !== standing.why) why.textContent = standing.why;
    element.dataset.kind = standing.kind;
    barred.hidden = isUnderWay;
  }

  return {
    update: draw,
    destroy() {
      clearTimeout(timer);
      element.hidden = true;
      element.replaceChildren();
    },
  };
}
