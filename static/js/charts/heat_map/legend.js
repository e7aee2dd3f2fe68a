/** Colour legend: the scale with its limits, and the sign for −∞. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { exact, fixed } from "../../base/numbers.js";
import { drawnView } from "../../base/mount.js";

/**
 * @typedef {object} LegendData
 * @property {"weight" | "signed"} scale
 * @property {[number, number]} limits  values at the ends
 * @property {boolean} faint
 * @property {boolean} hasMasked
 * @property {string} [note]  on colours that are unusual
 */

/** Positions of the numbers along the bar. */
const MARKS = [0, 0.5, 1];

/**
 * @param {HTMLElement} element
 * @param {LegendData} data
 * @returns {import("../../base/mount.js").View<LegendData>}
 */
export function legendView(element, data) {
  /** @param {LegendData} next */
  function draw({ scale, limits: [low, high], faint, hasMasked, note = "" }) {
    const value = (/** @type {number} */ share) => low + (high - low) * (faint ? share ** 2 : share);
    const marks = MARKS.map((share) => el("span", {}, shorten(value(share))));
    fill(
      element,
      el("div", { class: `legend-bar is-${scale}`, "aria-hidden": "true" }),
      el("div", { class: "legend-ends" }, ...marks),
      hasMasked && el("div", { class: "legend-masked" }, t("−∞ (masked)")),
      note && el("p", { class: "note" }, note),
    );
  }

  return drawnView(element, data, draw);
}

/** @param {number} value */
function shorten(value) {
  if (value !== 0 && Math.abs(value) < 0.1) return exact(value);
  return Number.isInteger(value) ? fixed(value, 0) : fixed(value, Math.abs(value) < 10 ? 2 : 1);
}
