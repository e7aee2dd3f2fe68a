/** What a scatter plot shows: series of points with names, lines between points, and which of them stand out. */

import { moveInList } from "../../base/key_moves.js";

/** @typedef {import("../scatter/extents.js").Pair} Pair */

/**
 * @typedef {object} ScatterSeries
 * @property {string} name
 * @property {"query" | "key"} colour
 * @property {"circle" | "diamond"} kind
 * @property {readonly number[]} ids  of its points, growing
 * @property {readonly Pair[]} points
 * @property {(index: number) => string} nameOf  a short one, beside the point
 * @property {(index: number) => string[]} linesOf  what is known of it
 *
 * @typedef {{series: number, id: number}} At  a point
 *
 * @typedef {object} Link  a line between two points
 * @property {At} from
 * @property {At} to
 * @property {number} weight  0…1; how wide it is
 * @property {boolean} [isChosen]
 *
 * @typedef {object} ScatterParts
 * @property {string} of  what the points are of: while it stays, what is zoomed to stays
 * @property {readonly ScatterSeries[]} series  the last on top; a legend switches each
 * @property {{x: string, y: string}} axes  names
 * @property {Pair} zero  marked with a cross
 * @property {readonly At[]} chosen
 * @property {readonly Link[]} links
 * @property {readonly At[]} selected  with a box, a lasso or one by one; if any, all others are faint
 * @property {readonly At[]} pointed
 * @property {readonly Link[]} pointedLinks
 *
 * @typedef {Omit<import("./plot_data.js").PlotWords, "height" | "series"> & ScatterParts} Scatter
 */

/**
 * @param {Scatter} scatter
 * @param {At} point
 * @returns {number}  −1 if there is no such point
 */
export function indexOf({ series }, point) {
  return series[point.series]?.ids.indexOf(point.id) ?? -1;
}

/**
 * @param {Scatter} scatter
 * @param {At} point
 * @returns {Pair | null}
 */
export function pairOf(scatter, point) {
  return scatter.series[point.series]?.points[indexOf(scatter, point)] ?? null;
}

/**
 * Those of a series that are there, by their indices.
 * @param {Scatter} scatter
 * @param {readonly At[]} points
 * @param {number} series
 */
export function indicesIn(scatter, points, series) {
  const own = points.filter((point) => point.series === series);
  return own.map((point) => indexOf(scatter, point)).filter((index) => index >= 0);
}

/**
 * @param {At} a
 * @param {At} b
 */
export function isSame(a, b) {
  return a.series === b.series && a.id === b.id;
}

/**
 * The point that a key leads to: left and right through a series, up and down to another that is shown.
 * @param {{series: readonly Pick<ScatterSeries, "name" | "ids">[]}} scatter
 * @param {ReadonlySet<string>} off  names of series that are not shown
 * @param {At} from
 * @param {string} key
 * @returns {At | null}  null for a key that moves nothing
 */
export function nextPoint({ series }, off, from, key) {
  const way = { ArrowUp: 1, ArrowDown: -1 }[key];
  if (way !== undefined) {
    const there = [...series.keys()].filter((index) => !off.has(series[index].name) && series[index].ids.length > 0);
    const other = there[(there.indexOf(from.series) + way + there.length) % there.length];
    const { ids } = series[other];
    return { series: other, id: ids.find((id) => id >= from.id) ?? ids[ids.length - 1] };
  }
  const { ids } = series[from.series];
  const place = moveInList(key, ids.indexOf(from.id), ids.length, { way: "right" });
  return place === null ? null : { series: from.series, id: ids[place] };
}

/**
 * Where the keyboard is, if that is shown, else the chosen point, else the first of all.
 * @param {Scatter} scatter
 * @param {ReadonlySet<string>} off  names of series that are not shown
 * @param {At | null} current  where it is
 * @returns {At | null}
 */
export function startOf(scatter, off, current) {
  const isOn = (/** @type {At} */ point) => indexOf(scatter, point) >= 0 && !off.has(scatter.series[point.series].name);
  const firsts = scatter.series.map(({ ids }, series) => ({ series, id: ids[0] })).reverse();
  return [current, ...scatter.chosen, ...firsts].find((point) => point && isOn(point)) ?? null;
}
