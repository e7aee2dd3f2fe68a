/** Bars side by side, drawn by Plotly: a group of bars for each name, a bar in it for each series. */

import { readout } from "../axes.js";
import { plotView } from "./plot.js";

/** @typedef {import("./plot_data.js").Plot} Plot */

/**
 * @typedef {object} Bars
 * @property {string} title
 * @property {string[]} names  along the axis, short
 * @property {string[]} [titles]  what the names stand for, in the table
 * @property {{name: string, values: readonly (number | null)[], colour?: number}[]} series  null: no bar
 * @property {string} axis  what the names are
 * @property {string} unit  what the values are
 * @property {number} [most]  at the top; the largest value unless given
 * @property {number} [digits]  as many as are worth reading unless given
 * @property {{index: number, name: string} | null} [chosen]  a marked group, and what the mark says
 * @property {number} [height]
 */

const HEIGHT = 240;
/** Room above the highest bar. */
const ABOVE = 1.06;
/** As many bars have their values above them. */
const LABELLED = 10;

/**
 * @param {HTMLElement} element
 * @param {Bars} data
 * @returns {import("../../base/mount.js").View<Bars>}
 */
export function barPlot(element, data) {
  const { update, destroy } = plotView(element, barPlotOf(data));
  return { update: (next) => update(barPlotOf(next)), destroy };
}

/**
 * @param {Bars} bars
 * @returns {Plot}
 */
export function barPlotOf({ title, names, titles = names, series, axis, unit, most, digits, chosen, height = HEIGHT }) {
  const say = (/** @type {number | null} */ value) =>
    value === null ? "–" : digits === undefined ? readout(value) : value.toFixed(digits);
  const values = series.flatMap((group) => group.values.flatMap((value) => (value === null ? [] : [value])));
  const [lowest, highest] = [Math.min(0, ...values), most ?? ABOVE * Math.max(0, ...values)];
  const places = names.map((_, index) => index);
  const descriptions = series.map(
    (group) => `${group.name}: ${group.values.map((value, index) => `${names[index]} ${say(value)}`).join(", ")}`,
  );
  return {
    title,
    height,
    summary: descriptions.join("; "),
    series: series.map(({ name, values: own, colour }, index) => ({
      name,
      colour: colour ?? index,
      kind: "bars",
      x: places,
      said: own.map(say),
      isLabelled: names.length * series.length <= LABELLED,
      y: own.map((value) => value ?? Number.NaN),
    })),
    x: { name: axis, least: -0.5, most: names.length - 0.5, ticks: places, names },
    y: { name: unit, least: lowest, most: highest > lowest ? highest : 1 },
    verticals: chosen ? [{ x: chosen.index, name: chosen.name }] : [],
    numbers: () => ({
      columns: [axis, ...series.map((group) => group.name)],
      rows: titles.map((name, index) => [name, ...series.map((group) => say(group.values[index]))]),
    }),
  };
}
