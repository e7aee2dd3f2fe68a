/** Both ways of one softmax as small tables, the weights as bars, and how they change with the temperature. */

import { drawnView, factsView } from "../frame/views.js";
import { exact } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";
import { el, fill } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { linesMark, pointsOf } from "../../charts/lines.js";
import { below } from "../../charts/matrix_input.js";
import { matrixMark } from "../../charts/matrix.js";
import { softmax } from "../frame/attention.js";

/** @typedef {import("./steps.js").SoftmaxData} SoftmaxData */
/** @typedef {import("../frame/concept.js").ConceptView<SoftmaxData>} View */

const TEMPERATURES = Array.from({ length: 81 }, (_, index) => 10 ** ((index - 40) / 20));
const SERIES = 8;
/** Up to this many scores are drawn large. */
const LARGE = 5;
const WIDE = 600;

/** @type {View} */
export const softmaxView = drawnView((element, { set }) => {
  const place = (/** @type {string} */ name) => el("div", { class: "softmax-mark", "data-mark": name });
  const [bars, stable, unstable, curves] = ["bars", "stable", "unstable", "curves"].map(place);
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
  const pick = (/** @type {number} */ chosen) => set({ chosen }, "switch");
  const column = { onPick: (/** @type {{column: number}} */ at) => pick(at.column) };
  const drawBars = mount(bars, barsMark, { onPick: pick });
  const drawStable = mount(stable, matrixMark, column);
  const drawUnstable = mount(unstable, matrixMark, column);
  const drawCurves = mount(curves, linesMark, {});
  return (data) => {
    drawBars(barsOf(data));
    drawStable(stableOf(data));
    drawUnstable(unstableOf(data));
    drawCurves(curvesOf(data));
  };
});

/** @type {View} */
export const softmaxFactsView = factsView(({ numbers }) => [
  [
    t("Entropy"),
    t("{entropy} of at most {most}", {
      entropy: exact(numbers.entropy),
      most: exact(Math.log(numbers.scores.length)),
    }),
  ],
  [t("Largest x whose e^x still fits"), exact(numbers.largest_exponent)],
  [t("Largest change of a weight when c is added"), exact(numbers.largest_shift_difference)],
]);

/** On a phone there is no room for more. @param {readonly unknown[]} scores */
const sizeOf = (scores) => (scores.length <= LARGE && innerWidth > WIDE ? 1.3 : 1);

/** @param {readonly unknown[]} list */
const names = (list) => list.map((_, index) => `x${below(index)}`);

/** @param {SoftmaxData} data */
function barsOf({ state: { chosen }, numbers: { stable, unstable } }) {
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

/** @param {SoftmaxData} data */
function stableOf({ state: { chosen }, numbers: { scores, stable } }) {
  const rows = [scores, stable.shifted, stable.exponentials, stable.weights];
  return {
    title: t("Minus the maximum"),
    values: rows,
    rows: ["x / T", "x − m", "eˣ⁻ᵐ", t("weight")],
    size: sizeOf(scores),
    columns: names(scores),
    columnRole: /** @type {const} */ ("query"),
    digits: 4,
    chosen: { row: -1, column: chosen },
  };
}

/** @param {SoftmaxData} data */
function unstableOf({ state: { chosen }, numbers: { scores, unstable } }) {
  return {
    title: t("Without the maximum"),
    values: [scores, unstable.exponentials, unstable.weights],
    rows: ["x / T", "eˣ", t("weight")],
    size: sizeOf(scores),
    columns: names(scores),
    columnRole: /** @type {const} */ ("query"),
    digits: 4,
    chosen: { row: -1, column: chosen },
  };
}

/** @param {SoftmaxData} data */
function curvesOf({ state: { scores, temperature } }) {
  const rows = TEMPERATURES.map((one) => softmax(scores.map((score) => score / one)));
  return {
    title: t("Weights over the temperature"),
    series: names(scores).map((name, index) => ({
      name,
      dashed: index >= SERIES,
      points: pointsOf(
        TEMPERATURES,
        rows.map((row) => row[index]),
      ),
    })),
    x: { name: t("temperature"), log: true, least: 0.01, most: 100 },
    y: { name: t("weight"), least: 0, most: 1 },
    verticals: [{ x: temperature, name: `T = ${temperature}` }],
    height: 220,
  };
}
