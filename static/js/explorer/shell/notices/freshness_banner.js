/** The banner over outdated charts: what they still show, why, and the way back. */

import { el, fill, plainButton } from "../../../base/dom.js";
import { t } from "../../../base/i18n.js";

/**
 * @typedef {object} FreshnessData
 * @property {import("../../state/freshness.js").Freshness} freshness
 */

/** Milliseconds before a pending analysis is announced: most have arrived by then. */
const PATIENCE = 300;

/**
 * @param {HTMLElement} element
 * @param {FreshnessData} data
 * @param {{onBack: () => void}} options  `onBack`: discards the draft
 * @returns {import("../../../base/mount.js").View<FreshnessData>}
 */
export function freshnessView(element, data, { onBack }) {
  const still = el("strong", {});
  const why = el("span", {});
  const words = el("p", { class: "freshness-words", role: "status" }, still, " ", why);
  const back = plainButton(t("Back to what is shown"), onBack);
  const barred = el("p", { class: "note" }, t("An out-of-date view cannot be exported or shared."));
  fill(element, el("div", { class: "freshness-line" }, words, back), barred);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  draw(data);

  /** @param {FreshnessData} next */
  function draw({ freshness }) {
    clearTimeout(timer);
    const isUnderWay = freshness.kind === "running";
    if (isUnderWay && element.hidden) timer = setTimeout(() => (element.hidden = false), PATIENCE);
    else element.hidden = false;
    if (still.textContent !== freshness.still) still.textContent = freshness.still;
    if (why.textContent !== freshness.why) why.textContent = freshness.why;
    element.dataset.kind = freshness.kind;
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
