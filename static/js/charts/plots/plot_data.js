/** What a chart drawn by Plotly shows, and what can be read off it. */

/** @typedef {number | "query" | "key"} SeriesColour  of the series colours 0…7, or a token's part */

/**
 * What stands around a chart.
 * @typedef {object} PlotWords
 * @property {string} title
 * @property {string} summary  a sentence or two in place of the picture
 * @property {number | null} height  pixels; null: `--plot-height` of its place says it
 * @property {() => NumberTable} numbers  what the picture shows, as a table
 * @property {number} [rows]  of the table at most
 * @property {readonly {name: string, colour: SeriesColour, kind: PlotSeries["kind"] | "circle" | "diamond"}[]} series
 */

/**
 * @typedef {object} PlotSeries
 * @property {string} name
 * @property {number} colour  of the series colours 0…7
 * @property {boolean} [strong]  drawn thicker, above the others
 * @property {"line" | "dashed" | "dots" | "steps" | "bars"} kind
 * @property {readonly number[]} x  growing, except for dots
 * @property {readonly number[]} y
 * @property {boolean} [isLabelled]  bars: the values stand above them
 * @property {readonly number[]} [widths]  of bars, in units of the x axis
 * @property {readonly string[]} said  the value at each point, in words
 */

/**
 * @typedef {object} PlotAxis
 * @property {string} name
 * @property {number} least
 * @property {number} most
 * @property {boolean} [log]
 * @property {readonly number[]} [ticks]  only these
 * @property {readonly string[]} [names]  of the ticks
 * @property {(value: number) => string} [says]  a place in words; by default the axis's name and the number
 */

/**
 * @typedef {object} Plot
 * @property {string} title
 * @property {string} summary  a sentence or two in place of the picture
 * @property {readonly PlotSeries[]} series
 * @property {PlotAxis} x
 * @property {PlotAxis} y
 * @property {readonly {x: number, name: string}[]} verticals  labelled vertical lines
 * @property {number | null} height  pixels; null: `--plot-height` of its place says it
 * @property {() => NumberTable} numbers  what the picture shows, as a table
 */

/** @typedef {{columns: string[], rows: string[][]}} NumberTable */

/**
 * The places on the x axis at which something can be read.
 * @param {Plot} plot
 * @param {ReadonlySet<string>} off  names of series that are not shown
 * @returns {number[]}  growing
 */
export function placesOf({ series }, off) {
  const places = series.filter((entry) => !off.has(entry.name)).flatMap((entry) => [...entry.x]);
  return [...new Set(places.filter(Number.isFinite))].sort((a, b) => a - b);
}

/** @param {readonly number[]} places @param {number} wanted */
export function nearest(places, wanted) {
  return places.reduce((best, place) => (Math.abs(place - wanted) < Math.abs(best - wanted) ? place : best), places[0]);
}

/**
 * The position that a key moves to: arrows step, with Shift by a tenth of all; Home and End.
 * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey">} event
 * @param {readonly number[]} places
 * @param {number | null} current
 * @returns {number | null}  null for other keys
 */
export function steppedPlace({ key, shiftKey, altKey, ctrlKey, metaKey }, places, current) {
  if (altKey || ctrlKey || metaKey || places.length === 0) return null;
  if (key === "Home") return places[0];
  if (key === "End") return places[places.length - 1];
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key];
  if (by === undefined) return null;
  const far = shiftKey ? Math.max(1, Math.round(places.length / 10)) : 1;
  const index = current === null ? -1 : places.indexOf(nearest(places, current));
  return places[Math.min(Math.max(index + by * far, 0), places.length - 1)];
}

/**
 * The values at a place, of every series that is shown and has a point there.
 * @param {Plot} plot
 * @param {ReadonlySet<string>} off
 * @param {number} x
 * @returns {{name: string, said: string, curve: number, point: number}[]}
 */
export function valuesAt({ series }, off, x) {
  return series.flatMap((entry, curve) => {
    const point = off.has(entry.name) ? -1 : pointAt(entry, x);
    return point < 0 ? [] : [{ name: entry.name, said: entry.said[point], curve, point }];
  });
}

/**
 * What a place says in words: its name or number, and every value there.
 * @param {Plot} plot
 * @param {ReadonlySet<string>} off
 * @param {number} x
 */
export function readingAt(plot, off, x) {
  const name = nameAt(plot, x);
  const values = valuesAt(plot, off, x).map((value) => `${value.name} ${value.said}`);
  return name && `${name}: ${values.join(", ")}`;
}

/** @param {Plot} plot @param {number} x */
function nameAt({ x: axis }, x) {
  if (axis.says) return axis.says(x);
  const index = axis.names ? (axis.ticks ?? []).indexOf(x) : -1;
  const value = index < 0 ? String(Number(x.toPrecision(4))).replace("-", "−") : (axis.names ?? [])[index];
  return `${axis.name} ${value}`.trim();
}

/**
 * The value of a drawn axis under a pointer.
 * @param {import("./plot_drawing.js").DrawnAxis} axis
 * @param {number} across  pixels from the left edge of the chart
 * @param {boolean} [isLog]
 */
export function valueAt({ range, _offset: left, _length: length }, across, isLog) {
  const value = range[0] + ((across - left) / length) * (range[1] - range[0]);
  return isLog ? 10 ** value : value;
}

/**
 * @param {PlotSeries} series
 * @param {number} x
 * @returns {number}  −1 if there is none; of a histogram's bins the one that holds it
 */
function pointAt({ kind, x: xs, y }, x) {
  if (kind !== "steps") return xs.findIndex((place, index) => place === x && Number.isFinite(y[index]));
  const closest = xs.indexOf(nearest(xs, x));
  const half = xs.length < 2 ? 0 : (xs[1] - xs[0]) / 2;
  return Math.abs(xs[closest] - x) <= half * 1.0001 ? closest : -1;
}

/**
 * An axis' range in Plotly's units: powers of ten on a logarithmic one.
 * @param {PlotAxis} axis
 * @returns {[number, number]}
 */
export function rangeOf({ least, most, log }) {
  return log ? [Math.log10(least), Math.log10(most)] : [least, most];
}

/**
 * A range around its middle, or around what is read.
 * @param {readonly [number, number]} range
 * @param {number} factor  below 1: closer
 * @param {number | null} around
 * @returns {[number, number]}
 */
export function zoomed([low, high], factor, around) {
  const middle = around !== null && around > low && around < high ? around : (low + high) / 2;
  return [middle - (middle - low) * factor, middle + (high - middle) * factor];
}
