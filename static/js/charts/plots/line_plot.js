/** Curves over common axes, drawn by Plotly: to zoom, to read values off, to switch series on and off. */

import { t } from "../../base/i18n.js";
import { readout, scaleOf } from "../axes.js";
import { plotView } from "./plot.js";

/** @typedef {import("../lines.js").LinesMark} LinesMark */
/** @typedef {import("../lines.js").Series} Series */
/** @typedef {import("./plot_data.js").Plot} Plot */

const HEIGHT = 260;
/** Room above the highest point where the axis has no end of its own. */
const ABOVE = 0.04;

/**
 * The same as `linesMark`.
 * @param {HTMLElement} element
 * @param {LinesMark} data
 * @returns {import("../../base/mount.js").View<LinesMark>}
 */
export function linePlot(element, data) {
  const { update, destroy } = plotView(element, plotOf(data));
  return { update: (next) => update(plotOf(next)), destroy };
}

/**
 * @param {LinesMark} data
 * @returns {Plot}
 */
export function plotOf({ title, series, x, y, verticals = [], height = HEIGHT }) {
  const points = series.flatMap((line) => line.points);
  const across = scaleOf(
    x,
    points.map((point) => point[0]),
    0,
    1,
  );
  const up = scaleOf(
    y,
    points.map((point) => point[1]),
    0,
    1,
  );
  const room = y.most === undefined && !y.log ? ABOVE * (up.most - up.least) : 0;
  const low = y.least === undefined && !y.log ? up.least - room : up.least;
  return {
    title,
    height,
    verticals,
    summary: series.map((line) => described(line, x)).join(" "),
    series: series.map(({ name, points: own, dashed, dots, colour, strong }, index) => ({
      name,
      colour: colour ?? index,
      strong,
      kind: dots ? "dots" : dashed ? "dashed" : "line",
      x: own.map((point) => point[0]),
      y: own.map((point) => point[1]),
      said: own.map((point) => readout(point[1])),
    })),
    x: { name: x.name ?? "", least: across.least, most: across.most, log: across.log, ticks: x.ticks, says: x.says },
    y: { name: y.name ?? "", least: low, most: up.most + room, log: up.log, ticks: y.ticks },
    numbers: () => tableOf(series, x),
  };
}

/** @typedef {import("../axes.js").Axis} Axis */

/** @param {Series} series @param {Axis} across */
function described({ name, points }, across) {
  const describeX = (/** @type {number} */ x) => across.says?.(x) ?? `${across.name ?? ""} ${readout(x)}`.trim();
  const seen = points.filter((point) => Number.isFinite(point[1]));
  if (seen.length === 0) return t("{name}: no values.", { name });
  const [first, last] = [seen[0], seen[seen.length - 1]];
  const values = seen.map((point) => point[1]);
  return t("{name}: {first} ({from}), {last} ({to}); between {least} and {most}.", {
    name,
    first: readout(first[1]),
    from: describeX(first[0]),
    last: readout(last[1]),
    to: across.says?.(last[0]) ?? readout(last[0]),
    least: readout(Math.min(...values)),
    most: readout(Math.max(...values)),
  });
}

/** @param {Series[]} series @param {Axis} across */
function tableOf(series, across) {
  const xs = [...new Set(series.flatMap((line) => line.points.map((point) => point[0])))].sort((a, b) => a - b);
  const maps = series.map((line) => new Map(line.points));
  const cell = (/** @type {number | undefined} */ value) => (value === undefined ? "" : readout(value));
  return {
    columns: [across.name ?? "", ...series.map((line) => line.name)],
    rows: xs.map((x) => [across.says?.(x) ?? readout(x), ...maps.map((map) => cell(map.get(x)))]),
  };
}
