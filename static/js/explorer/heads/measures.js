/** Measures of heads that need a run of their own: a button, its progress, and how they were measured. */

import { el, fill, smallButton } from "../../base/dom.js";
import { labelled, t } from "../../base/i18n.js";
import { failureView } from "../../page/failure.js";
import { drawnView, mount } from "../../base/mount.js";

/** @typedef {import("../state/measures/measure_groups.js").MeasureGroup} MeasureGroup */
/** @typedef {import("../data/head_measures.js").Offer} Offer */

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
export function measuresView(element, data, options) {
  let shown = "";
  /** @type {ReturnType<typeof createLine>[]} */
  let lines = [];

  /** @param {MeasuresData} next */
  function draw({ offers, isTold }) {
    const now = JSON.stringify(offers.map(({ group, phase, said }) => [group.name, phase, said]));
    if (now !== shown) build(offers, isTold);
    shown = now;
    offers.forEach(({ failure }, index) => lines[index].tell(failure));
  }

  /** @param {Offer[]} offers @param {boolean} isTold */
  function build(offers, isTold) {
    const held = element.contains(document.activeElement);
    forget();
    element.setAttribute("aria-busy", String(offers.some(({ phase }) => phase === "running")));
    lines = offers.map((offer) => createLine(offer, isTold, options));
    fill(element, ...lines.map(({ line }) => line));
    if (held) element.querySelector("button")?.focus();
  }

  function forget() {
    for (const { tell } of lines) tell(null);
  }

  return drawnView(element, data, draw, () => {
    forget();
    element.removeAttribute("aria-busy");
  });
}

/**
 * One offer, and where its failure is told.
 * @param {Offer} offer
 * @param {boolean} isTold
 * @param {MeasuresOptions} options
 */
function createLine({ group, phase, said }, isTold, { onMeasure, onLeave }) {
  const words = group.words();
  const problem = el("div", { class: "failure" });
  const leave = (/** @type {string} */ name) => smallButton(name, () => onLeave(group));
  const children = {
    idle: () => [smallButton(words.action, () => onMeasure(group)), el("span", { class: "note" }, words.cost)],
    running: () => [
      el("span", { class: "progress-bar measures-bar", "aria-hidden": "true" }),
      el("span", { role: isTold ? "status" : null }, words.running),
      leave(t("Stop")),
    ],
    failed: () => [problem, leave(t("Remove"))],
    done: () => [el("span", { class: "note" }, labelled(words.title, said)), leave(t("Remove"))],
  }[phase]();
  return {
    line: el("div", { class: "measures" }, ...children),
    tell: mount(problem, failureView, { isQuiet: !isTold }),
  };
}
