/** Histograms over one axis, drawn by Plotly: several distributions as outlines, or the counts of one as bars. */

import { t } from "../../base/i18n.js";
import { readout, scaleOf, ticks } from "../axes.js";
import { plotView } from "./plot.js";

/** @typedef {import("./plot_data.js").Plot} Plot */

/**
 * @typedef {object} Counted
 * @property {string} name
 * @property {readonly number[]} edges  one more than counts
 * @property {readonly number[]} counts
 * @property {number} [colour]  of the series colours 0…7
 */

/**
 * @typedef {object} Histogram
 * @property {string} title
 * @property {Counted[]} series
 * @property {import("../axes.js").Axis} x
 * @property {{x: number, name: string}[]} [verticals]
 * @property {number} [height]
 */

const HEIGHT = 260;
/** Room above the highest. */
const ABOVE = 1.04;
const SEVERAL = 6;

/**
 * Heights are densities (share of all values ÷ width of the bin), so that distributions of any width compare.
 * @param {HTMLElement} element
 * @param {Histogram} data
 * @returns {import("../../base/mount.js").View<Histogram>}
 */
export function histogramPlot(element, data) {
  const { update, destroy } = plotView(element, densityPlotOf(data));
  return { update: (next) => update(densityPlotOf(next)), destroy };
}

/**
 * One distribution; a bar's height is the root of its count, so that rare values are seen beside frequent ones.
 * @param {HTMLElement} element
 * @param {Omit<Histogram, "series"> & {counted: Counted}} data
 * @returns {import("../../base/mount.js").View<Omit<Histogram, "series"> & {counted: Counted}>}
 */
export function countPlot(element, data) {
  const { update, destroy } = plotView(element, countPlotOf(data));
  return { update: (next) => update(countPlotOf(next)), destroy };
}

/**
 * @param {Histogram} data
 * @returns {Plot}
 */
export function densityPlotOf({ title, series, x, verticals = [], height = HEIGHT }) {
  const densities = series.map(densityOf);
  const scale = scaleOf(
    x,
    series.flatMap((sample) => [...sample.edges]),
    0,
    1,
  );
  return {
    title,
    height,
    verticals,
    summary: series.map(described).join("; "),
    series: series.map(({ name, edges, colour }, index) => {
      const half = (edges[1] - edges[0]) / 2;
      const middles = [edges[0] - half, ...middlesOf(edges), edges[edges.length - 1] + half];
      const heights = [0, ...densities[index], 0];
      return { name, colour: colour ?? index, kind: "steps", x: middles, y: heights, said: heights.map(readout) };
    }),
    x: { name: x.name ?? "", least: scale.least, most: scale.most, ticks: x.ticks },
    y: { name: t("density"), least: 0, most: ABOVE * Math.max(...densities.flat(), 1e-12) },
    numbers: () => tableOf(series),
  };
}

/**
 * @param {Omit<Histogram, "series"> & {counted: Counted}} data
 * @returns {Plot}
 */
export function countPlotOf({ title, counted, x, verticals = [], height = HEIGHT }) {
  const { edges, counts, name } = counted;
  const most = Math.sqrt(Math.max(...counts, 1));
  const marks = ticks(0, most, SEVERAL).map((root) => Math.round(root ** 2));
  const said = counts.map((count, index) => `${count} (${readout(edges[index])} … ${readout(edges[index + 1])})`);
  return {
    title,
    height,
    verticals,
    summary: described(counted),
    series: [
      {
        name,
        colour: counted.colour ?? 0,
        kind: "bars",
        x: middlesOf(edges),
        y: counts.map(Math.sqrt),
        said,
        widths: counts.map((_, index) => edges[index + 1] - edges[index]),
      },
    ],
    x: { name: x.name ?? "", least: edges[0], most: edges[edges.length - 1], ticks: x.ticks },
    y: {
      name: t("count (√ scale)"),
      least: 0,
      most: ABOVE * most,
      ticks: marks.map(Math.sqrt),
      names: marks.map(String),
    },
    numbers: () => tableOf([counted]),
  };
}

/** @param {readonly number[]} edges */
function middlesOf(edges) {
  return edges.slice(1).map((edge, index) => (edges[index] + edge) / 2);
}

/** @param {Counted[]} series */
function tableOf(series) {
  return {
    columns: [t("distribution"), t("bin from"), t("bin to"), t("count")],
    rows: series.flatMap(({ name, edges, counts }) =>
      counts.map((count, index) => [name, readout(edges[index]), readout(edges[index + 1]), String(count)]),
    ),
  };
}

/** Share of all values ÷ width of each bin. @param {Counted} series @returns {number[]} */
function densityOf({ edges, counts }) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, index) => (total === 0 ? 0 : count / total / (edges[index + 1] - edges[index])));
}

/** A distribution in words. @param {Counted} series */
function described({ name, edges, counts }) {
  const fullest = counts.indexOf(Math.max(...counts));
  return t("{name}: from {least} to {most}, most often near {mode}", {
    name,
    least: readout(edges[0]),
    most: readout(edges[edges.length - 1]),
    mode: readout((edges[fullest] + edges[fullest + 1]) / 2),
  });
}
