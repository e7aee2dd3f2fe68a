/** Measures of heads that cost a run: a button that asks for them, how far they are, how they were measured. */

import { el, fill } from "../dom.js";
import { t } from "../i18n.js";

/** @typedef {import("../measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("../head_measures.js").Offer} Offer */

/**
 * @typedef {object} MeasuresData
 * @property {Offer[]} offers
 * @property {boolean} isTold  whether screen readers are told here, rather than at another place of the page
 */

/**
 * @typedef {object} MeasuresOptions
 * @property {(group: MeasureGroup) => void} onMeasure
 * @property {(group: MeasureGroup) => void} onLeave
 * @property {() => void} onRetry
 */

/**
 * @param {HTMLElement} element
 * @param {MeasuresData} data
 * @param {MeasuresOptions} options
 * @returns {import("../types.js").View<MeasuresData>}
 */
export function measuresView(element, data, { onMeasure, onLeave, onRetry }) {
  /** @param {MeasuresData} next */
  function draw({ offers, isTold }) {
    const held = element.contains(document.activeElement);
    element.setAttribute("aria-busy", String(offers.some(({ phase }) => phase === "running")));
    fill(element, ...offers.map((offer) => el("div", { class: "measures" }, ...line(offer, isTold))));
    if (held) element.querySelector("button")?.focus();
  }

  /**
   * @param {Offer} offer
   * @param {boolean} isTold
   */
  function line({ group, phase, said }, isTold) {
    const words = group.words();
    const button = (/** @type {string} */ name, /** @type {() => void} */ onclick) =>
      el("button", { type: "button", class: "button is-small", onclick }, name);
    const leave = () => onLeave(group);
    switch (phase) {
      case "idle":
        return [button(words.action, () => onMeasure(group)), el("span", { class: "note" }, words.cost)];
      case "running":
        return [
          el("span", { class: "progress-bar measures-bar", "aria-hidden": "true" }),
          el("span", { role: isTold ? "status" : null }, words.running),
          button(t("Stop"), leave),
        ];
      case "failed":
        return [
          el("span", { class: "field-error", role: isTold ? "alert" : null }, said),
          button(t("Try again"), onRetry),
          button(t("Leave out"), leave),
        ];
      case "done":
        return [el("span", { class: "note" }, `${words.title}: ${said}`), button(t("Leave out"), leave)];
    }
  }

  draw(data);
  return {
    update: draw,
    destroy() {
      element.removeAttribute("aria-busy");
      element.replaceChildren();
    },
  };
}
