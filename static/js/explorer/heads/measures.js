/** Measures of heads that need a run of their own: a button, its progress, and how they were measured. */

import { el, fill } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { drawnView, mount } from "../../base/mount.js";

/** @typedef {import("../state/measures/measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("../data/head_measures.js").Offer} Offer */
/** @typedef {import("../../requests/request_scheduler.js").Failure} Failure */

/**
 * @typedef {object} MeasuresData
 * @property {Offer[]} offers
 * @property {boolean} isTold  whether screen readers are told here, rather than at another place of the page
 */

/**
 * @typedef {object} MeasuresOptions
 * @property {(group: MeasureGroup) => void} onMeasure
 * @property {(group: MeasureGroup) => void} onLeave
 */

/**
 * @param {HTMLElement} element
 * @param {MeasuresData} data
 * @param {MeasuresOptions} options
 * @returns {import("../../base/mount.js").View<MeasuresData>}
 */
export function measuresView(element, data, { onMeasure, onLeave }) {
  let shown = "";
  /** Where failures are told. @type {Map<MeasureGroup, import("../../base/mount.js").Mounted<Failure>>} */
  const problems = new Map();

  /** @param {MeasuresData} next */
  function draw({ offers, isTold }) {
    const now = JSON.stringify(offers.map(({ group, phase, said }) => [group.name, phase, said]));
    if (now !== shown) build(offers, isTold);
    shown = now;
    for (const { group, failure } of offers) problems.get(group)?.(failure);
  }

  /** @param {Offer[]} offers @param {boolean} isTold */
  function build(offers, isTold) {
    const held = element.contains(document.activeElement);
    forget();
    element.setAttribute("aria-busy", String(offers.some(({ phase }) => phase === "running")));
    fill(element, ...offers.map((offer) => el("div", { class: "measures" }, ...line(offer, isTold))));
    if (held) element.querySelector("button")?.focus();
  }

  function forget() {
    for (const show of problems.values()) show(null);
    problems.clear();
  }

  /** @param {MeasureGroup} group @param {boolean} isTold */
  function problemOf(group, isTold) {
    const place = el("div", { class: "failure" });
    problems.set(group, mount(place, failureView, { isQuiet: !isTold }));
    return place;
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
        return [problemOf(group, isTold), button(t("Remove"), leave)];
      case "done":
        return [el("span", { class: "note" }, labelled(words.title, said)), button(t("Remove"), leave)];
    }
  }

  return drawnView(element, data, draw, () => {
    forget();
    element.removeAttribute("aria-busy");
  });
}
