/** Both ways of one softmax as small tables, the weights as bars, and how they change with the temperature. */

import { chartView, drawnView, factsView } from "../frame/views.js";
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
/** Height of a table's row at most, in pixels. */
const ROW = 32;

/** @type {View} */
export const softmaxView = drawnView((element, { set }) => {
  const place = (/** @type {string} */ name) => el("div", { class: "softmax-mark", "data-mark": name });
  const [bars, stable, unstable] = ["bars", "stable", "unstable"].map(place);
  fill(
    element,
    el("h3", {}, t("Weights")),
    bars,
    el("h3", {}, t("Minus the maximum")),
    stable,
    el("h3", {}, t("Without the maximum")),
    unstable,
  );
  const pick = (/** @type {number} */ chosen) => set({ chosen }, "switch");
  const rows = (/** @type {number} */ count) => ({
    onPick: (/** @type {{column: number}} */ at) => pick(at.column),
    mostHeight: count * ROW,
  });
  const drawBars = mount(bars, barsMark, { onPick: pick });
  const drawStable = mount(stable, matrixMark, rows(4));
  const drawUnstable = mount(unstable, matrixMark, rows(3));
  return (data) => {
    drawBars(barsOf(data));
    drawStable(stableOf(data));
    drawUnstable(unstableOf(data));
  };
});

/** @type {View} */
export const softmaxCurvesView = chartView(linesMark, curvesOf);

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
    height: 170,
  };
}

/** @param {SoftmaxData} data */
function stableOf({ state: { chosen }, numbers: { scores, stable } }) {
  const rows = [scores, stable.shifted, stable.exponentials, stable.weights];
  return {
    title: t("Minus the maximum"),
    values: rows,
    rows: ["x / T", "x − m", "eˣ⁻ᵐ", t("weight")],
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
