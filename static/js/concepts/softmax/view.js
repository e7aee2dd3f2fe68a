/** Both ways of one softmax as small tables, the weights as bars, and how they change with the temperature. */

import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { linesMark } from "../../charts/lines.js";
import { below } from "../../charts/matrix_input.js";
import { matrixMark } from "../../charts/matrix.js";
import { softmax } from "../frame/attention.js";

/** @typedef {import("./steps.js").SoftmaxNumbers} SoftmaxNumbers */

/**
 * @typedef {object} SoftmaxScene
 * @property {SoftmaxNumbers} numbers
 * @property {readonly number[]} scores  as given
 * @property {number} temperature
 * @property {number} chosen
 */

const TEMPERATURES = Array.from({ length: 81 }, (_, index) => 10 ** ((index - 40) / 20));
const SERIES = 8;
/** So few scores are drawn large. */
const LARGE = 5;
const WIDE = 600;

/**
 * @param {HTMLElement} element
 * @param {SoftmaxScene} data
 * @param {{onPick: (index: number) => void}} options
 * @returns {import("../../api/types.js").View<SoftmaxScene>}
 */
export function softmaxView(element, data, { onPick }) {
  const place = (/** @type {string} */ name) => el("div", { class: "softmax-mark", "data-mark": name });
  const [bars, stable, unstable, curves] = ["bars", "stable", "unstable", "curves"].map(place);
  const column = (/** @type {{row: number, column: number}} */ at) => onPick(at.column);
  fill(
    element,
    el("h3", {}, t("Weights")),
    bars,
    el("h3", {}, t("Minus the maximum")),
    stable,
    el("h3", {}, t("Without the maximum")),
    unstable,
    el("h3", {}, t("Over the temperature")),
    curves,
  );
  const marks = {
    bars: barsMark(bars, barsOf(data), { onPick }),
    stable: matrixMark(stable, stableOf(data), { onPick: column }),
    unstable: matrixMark(unstable, unstableOf(data), { onPick: column }),
    curves: linesMark(curves, curvesOf(data)),
  };
  return {
    update(next) {
      marks.bars.update(barsOf(next));
      marks.stable.update(stableOf(next));
      marks.unstable.update(unstableOf(next));
      marks.curves.update(curvesOf(next));
    },
    destroy() {
      element.replaceChildren();
    },
  };
}

/** On a phone there is no room for more. @param {readonly unknown[]} scores */
const sizeOf = (scores) => (scores.length <= LARGE && innerWidth > WIDE ? 1.3 : 1);

/** @param {readonly unknown[]} list */
const names = (list) => list.map((_, index) => `x${below(index)}`);

/** @param {SoftmaxScene} scene */
function barsOf({ numbers: { stable, unstable }, chosen }) {
  const differs = unstable.weights.some((one, index) => !(Math.abs(one - stable.weights[index]) < 1e-3));
  return {
    title: t("Weights"),
    names: names(stable.weights),
    series: [
      { name: t("minus the maximum"), values: stable.weights, colour: 0 },
      ...(differs ? [{ name: t("without the maximum"), values: unstable.weights, colour: 1 }] : []),
    ],
    most: 1,
    digits: 4,
    chosen,
  };
}

/** @param {SoftmaxScene} scene */
function stableOf({ numbers: { scores, stable }, chosen }) {
  const rows = [scores, stable.shifted, stable.exponentials, stable.weights];
  return {
    title: t("Minus the maximum"),
    values: rows,
    rows: ["x / T", "x − m", "e^(x − m)", t("weight")],
    size: sizeOf(scores),
    columns: names(scores),
    columnRole: /** @type {const} */ ("query"),
    digits: 4,
    chosen: { row: -1, column: chosen },
  };
}

/** @param {SoftmaxScene} scene */
function unstableOf({ numbers: { scores, unstable }, chosen }) {
  return {
    title: t("Without the maximum"),
    values: [scores, unstable.exponentials, unstable.weights],
    rows: ["x / T", "e^x", t("weight")],
    size: sizeOf(scores),
    columns: names(scores),
    columnRole: /** @type {const} */ ("query"),
    digits: 4,
    chosen: { row: -1, column: chosen },
  };
}

/** @param {SoftmaxScene} scene */
function curvesOf({ scores, temperature }) {
  const rows = TEMPERATURES.map((one) => softmax(scores.map((score) => score / one)));
  return {
    title: t("Weights over the temperature"),
    series: names(scores).map((name, index) => ({
      name,
      dashed: index >= SERIES,
      points: TEMPERATURES.map((one, at) => /** @type {[number, number]} */ ([one, rows[at][index]])),
    })),
    x: { name: t("temperature"), log: true, least: 0.01, most: 100 },
    y: { name: t("weight"), least: 0, most: 1 },
    verticals: [{ x: temperature, name: `T = ${temperature}` }],
    height: 220,
  };
}
