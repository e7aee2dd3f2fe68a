/** Charts over one axis, drawn by Plotly: read values at a place, zoom along the axis, switch series on and off. */

import { fill } from "../../base/dom.js";
import { actOnKey } from "../key_acts.js";
import { nearest, placesOf, readingAt, steppedPlace, valueAt, zoomed } from "./plot_data.js";
import { createPlotDrawing } from "./plot_drawing.js";
import { layoutOf, tracesOf } from "./plot_figure.js";
import { createPlotFrame } from "./plot_frame.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./plot_data.js").Plot} Plot */

const plain = () => import("../plain/plots.js");

/**
 * @param {HTMLElement} element
 * @param {Plot} data
 * @returns {import("../../base/mount.js").View<Plot>}
 */
export function plotView(element, data) {
  const frame = createPlotFrame({
    onZoom: zoom,
    onReset: reset,
    onToggle: toggle,
    onSave: (format) => drawing.save(format, { title: shown.title, hasLegend: shown.series.length > 1 }),
    onRetry: () => drawing.redraw(),
    onKey: (event) =>
      actOnKey(event, {
        acts: { "+": () => zoom(0.5), "-": () => zoom(2), 0: reset, Escape: unread },
        step: () => steppedPlace(event, placesOf(shown, off), current),
        move,
      }),
    onTap,
  });
  fill(element, frame.element);
  let shown = data;
  let revision = 0;
  /** @type {number | null} */
  let current = null;
  /** @type {Set<string>} */
  const off = new Set();
  const drawing = createPlotDrawing(frame, {
    plain: async () => (await plain()).plainPlots,
    figure: (fitted) => ({
      data: tracesOf(shown, fitted.colors, off),
      layout: layoutOf(shown, fitted.colors, { ...fitted, revision }),
    }),
    listen(place) {
      place.on?.("plotly_hover", (/** @type {{points?: {x: unknown}[]}} */ { points }) => {
        const x = Number(points?.[0]?.x);
        if (Number.isFinite(x)) readAt(x);
      });
      place.on?.("plotly_doubleclick", reset);
    },
  });
  const { place } = drawing;

  /** @param {number | null} x */
  function readAt(x) {
    current = x;
    frame.read(shown.x, current, current === null ? "" : readingAt(shown, off, current));
  }

  /** @param {{clientX: number}} tap */
  function onTap({ clientX }) {
    const axis = place._fullLayout?.xaxis;
    const places = placesOf(shown, off);
    if (!axis || places.length === 0) return;
    const across = clientX - place.getBoundingClientRect().left;
    move(nearest(places, valueAt(axis, across, shown.x.log)));
  }

  /** @param {number} x */
  function move(x) {
    readAt(x);
    if (Number.isFinite(x)) drawing.call(({ Fx }) => Fx.hover(place, { xval: x }, "xy"));
  }

  function unread() {
    readAt(null);
    drawing.call(({ Fx }) => Fx.unhover(place));
  }

  /** @param {number} factor */
  function zoom(factor) {
    const range = place._fullLayout?.xaxis.range;
    if (!range) return;
    const around = current !== null && shown.x.log ? Math.log10(current) : current;
    drawing.call((plotly) => plotly.relayout(place, { "xaxis.range": zoomed(range, factor, around) }));
  }

  function reset() {
    revision++;
    drawing.redraw();
  }

  /** @param {string} name */
  function toggle(name) {
    if (!off.delete(name)) off.add(name);
    frame.show(shown, off);
    drawing.redraw();
  }

  /** @param {Plot} next */
  function update(next) {
    shown = next;
    frame.show(next, off);
    readAt(current);
    drawing.redraw();
  }

  return drawnView(element, data, update, () => drawing.stop());
}
