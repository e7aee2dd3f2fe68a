/** What a plot over one axis knows between events: its data, the series switched off, the place that is read. */

import { nearest, placesOf, readingAt, steppedPlace, valueAt, zoomed } from "./plot_data.js";
import { layoutOf, tracesOf } from "./plot_figure.js";

/** @typedef {import("./plot_data.js").Plot} Plot */
/** @typedef {import("./plot_drawing.js").DrawnAxis} DrawnAxis */

/** @param {Plot} data */
export function createPlotState(data) {
  let shown = data;
  /** @type {number | null} */
  let current = null;
  /** As long as it stays, Plotly keeps what is zoomed to. */
  let revision = 0;
  /** @type {Set<string>} */
  const off = new Set();
  const places = () => placesOf(shown, off);

  return {
    off,
    shown: () => shown,
    /** The place that is read, and what it says. */
    read: () => ({ current, says: current === null ? "" : readingAt(shown, off, current) }),
    /** @param {KeyboardEvent} event */
    step: (event) => steppedPlace(event, places(), current),
    /** The place nearest to a pointer. @param {DrawnAxis} axis @param {number} across  pixels from the chart's left edge */
    under: (axis, across) => (places().length > 0 ? nearest(places(), valueAt(axis, across, shown.x.log)) : null),
    /** The range around what is read. @param {DrawnAxis} axis @param {number} factor  below 1: closer */
    zoomed: ({ range }, factor) =>
      zoomed(range, factor, current !== null && shown.x.log ? Math.log10(current) : current),
    /** @param {import("./plot_drawing.js").Fitted} fitted */
    figure: (fitted) => ({
      data: tracesOf(shown, fitted.colors, off),
      layout: layoutOf(shown, fitted.colors, { ...fitted, revision }),
    }),
    showAll() {
      revision++;
    },
    /** @param {number | null} x */
    goTo(x) {
      current = x;
    },
    /** Switches a series on or off. @param {string} name */
    toggle(name) {
      if (!off.delete(name)) off.add(name);
    },
    /** @param {Plot} next */
    update(next) {
      shown = next;
    },
  };
}
