/** The scores as they are, both ways of one softmax as small tables, the weights as bars, and how they change with the temperature. */

import { chartView, drawnView, factsView, titledPlaces } from "../frame/views.js";
import { exact, fixed, lowered } from "../../base/numbers.js";
import { mount } from "../../base/mount.js";
import { el } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { barsMark } from "../../charts/bars.js";
import { linesMark, pointsOf } from "../../charts/lines.js";
import { matrixMark } from "../../charts/matrix.js";
import { softmax } from "../frame/core/attention.js";

/** @typedef {import("./steps.js").SoftmaxData} SoftmaxData */
/** @typedef {import("../frame/concept.js").ConceptView<SoftmaxData>} View */

const TEMPERATURES = Array.from({ length: 81 }, (_, index) => 10 ** ((index - 40) / 20));
const SERIES = 8;
/** Height of a table's row at most, in pixels. */
const ROW = 32;

/** @type {View} */
export const softmaxView = drawnView((element, { set }) => {
  const titles = [t("Scores"), t("Minus the maximum"), t("Weights"), t("Without the maximum")];
  const places = titledPlaces(element, titles, "softmax-mark", [1, 2, 4, 5]);
  ["scores", "stable", "bars", "unstable"].forEach((name, index) => (places[index].dataset.mark = name));
  const [scores, stable, bars, unstable] = places;
  const whyNot = el("p", { class: "note softmax-why-not" });
  scores.after(whyNot);
  const pick = (/** @type {number} */ chosen) => set({ chosen }, "switch");
  const rows = (/** @type {number} */ count) => ({
    onPick: (/** @type {{column: number}} */ cell) => pick(cell.column),
    mostHeight: count * ROW,
  });
  const drawScores = mount(scores, barsMark, { onPick: pick });
  const drawBars = mount(bars, barsMark, { onPick: pick });
  const drawStable = mount(stable, matrixMark, rows(4));
  const drawUnstable = mount(unstable, matrixMark, rows(3));
  return (data) => {
    drawScores(scoresOf(data));
    whyNot.textContent = whyNotWeights(data);
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
const names = (list) => list.map((_, index) => `x${lowered(index)}`);

/** @param {SoftmaxData} data */
function scoresOf({ state: { chosen }, numbers: { scores } }) {
  const series = [{ name: t("Scores"), values: scores, role: /** @type {const} */ ("query") }];
  return { title: t("Scores"), names: names(scores), series, chosen, height: 130 };
}

/** What keeps these scores from being weights. @param {SoftmaxData} data */
function whyNotWeights({ numbers: { scores } }) {
  const sum = fixed(
    scores.reduce((sum, score) => sum + score, 0),
    2,
  );
  const negative = scores.filter((score) => score < 0).length;
  if (negative === 0) return t("They add up to {sum}, those of another query to something else.", { sum });
  return t("{negative} of {count} are negative, and they add up to {sum}.", { negative, count: scores.length, sum });
}

/** @param {SoftmaxData} data */
function barsOf({ state: { chosen }, numbers: { stable, unstable } }) {
  const differs = unstable.weights.some((weight, index) => !(Math.abs(weight - stable.weights[index]) < 1e-3));
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

/** Scores of which a table has room for two decimals only. */
const MANY = 8;

/** @param {SoftmaxData} data */
function stableOf({ state: { chosen }, numbers: { scores, stable } }) {
  const rows = [scores, stable.shifted, stable.exponentials, stable.weights];
  return {
    title: t("Minus the maximum"),
    values: rows,
    rows: ["x / T", "x − m", "eˣ⁻ᵐ", t("weight")],
    columns: names(scores),
    columnRole: /** @type {const} */ ("query"),
    digits: scores.length > MANY ? 2 : 4,
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
    digits: scores.length > MANY ? 2 : 4,
    chosen: { row: -1, column: chosen },
  };
}

/** @param {SoftmaxData} data */
function curvesOf({ state: { scores, temperature } }) {
  const rows = TEMPERATURES.map((temperature) => softmax(scores.map((score) => score / temperature)));
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
