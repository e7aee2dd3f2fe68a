/** Range filters of the table of heads: two sliders for each metric. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { fixed } from "../../base/numbers.js";

/** @typedef {import("../state/head_list.js").Limits} Limits */
/** @typedef {{name: string, title: string, values: number[]}} Measured */

/** Steps of a slider from its least to its most. */
const STEPS = 100;

/** @param {(metric: string, ends: [number, number]) => void} onLimit */
export function createLimitSliders(onLimit) {
  const element = el("div", { class: "limits" });
  /** @type {ReturnType<typeof limit>[]} */
  let all = [];
  return {
    element,
    /** @param {Measured[]} metrics */
    build(metrics) {
      all = metrics.map((one) => limit(one, (ends) => onLimit(one.name, ends)));
      fill(element, ...all.map(({ box }) => box));
    },
    /** @param {Limits} limits */
    show(limits) {
      for (const { show } of all) show(limits);
    },
  };
}

/**
 * @param {Measured} metric
 * @param {(ends: [number, number]) => void} onChange
 */
function limit({ name, title, values }, onChange) {
  const scale = sliderScale(values);
  const oninput = () => onChange(scale.ends(Number(low.value), Number(high.value)));
  const input = (/** @type {string} */ label) =>
    el("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": label, oninput });
  const low = input(t("{metric}: at least", { metric: title }));
  const high = input(t("{metric}: at most", { metric: title }));
  const text = el("output", { class: "note" });
  return {
    box: el("div", { class: "limit" }, el("span", { class: "limit-title" }, title), low, high, text),
    /** @param {Limits} limits */
    show(limits) {
      const ends = limits[name] ?? [-Infinity, Infinity];
      const steps = scale.steps(ends);
      [low, high].forEach((one, index) => {
        one.value = String(steps[index]);
        one.setAttribute("aria-valuetext", fixed(scale.at(steps[index]), 2));
      });
      text.textContent = `${fixed(Math.max(ends[0], scale.least), 2)} … ${fixed(Math.min(ends[1], scale.most), 2)}`;
    },
  };
}

/**
 * Values as steps of a slider; its ends are no limit.
 * @param {number[]} values
 */
export function sliderScale(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const at = (/** @type {number} */ step) => least + (step / STEPS) * (most - least);
  const stepOf = (/** @type {number} */ value) => Math.round(((value - least) / (most - least || 1)) * STEPS);
  return {
    least,
    most,
    at,
    /** @param {number} low @param {number} high @returns {[number, number]} */
    ends: (low, high) => [low === 0 ? -Infinity : at(low), high === STEPS ? Infinity : at(high)],
    /** @param {readonly [number, number]} ends */
    steps: ([from, to]) => [Number.isFinite(from) ? stepOf(from) : 0, Number.isFinite(to) ? stepOf(to) : STEPS],
  };
}
