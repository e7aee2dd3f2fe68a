/** Charts over one axis, drawn by Plotly: read values at a place, zoom along the axis, switch series on and off. */

import { fill } from "../../base/dom.js";
import { actOnKey } from "../key_acts.js";
import { nearest, placesOf, steppedPlace, valuesAt, zoomed } from "./plot_data.js";
import { createPlotDrawing } from "./plot_drawing.js";
import { layoutOf, tracesOf } from "./plot_figure.js";
import { createPlotFrame } from "./plot_frame.js";

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
        step: () => steppedPlace(event, placesOf(shown, off), at),
        move,
      }),
    onTap,
  });
  fill(element, frame.element);
  let shown = data;
  let revision = 0;
  /** @type {number | null} */
  let at = null;
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
    at = x;
    const said = at === null ? [] : valuesAt(shown, off, at).map(({ name, said }) => `${name} ${said}`);
    const head = at === null ? "" : nameAt(shown, at);
    frame.read(shown.x, at, head && `${head}: ${said.join(", ")}`);
  }

  /** @param {{clientX: number}} tap */
  function onTap({ clientX }) {
    const axis = place._fullLayout?.xaxis;
    const places = placesOf(shown, off);
    if (!axis || places.length === 0) return;
    const share = (clientX - place.getBoundingClientRect().left - axis._offset) / axis._length;
    const value = axis.range[0] + share * (axis.range[1] - axis.range[0]);
    move(nearest(places, shown.x.log ? 10 ** value : value));
  }

  /** @param {number} x */
  function move(x) {
    readAt(x);
    showAt(x);
  }

  /** @param {number} x */
  function showAt(x) {
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
    const around = at === null ? null : shown.x.log ? Math.log10(at) : at;
    const wanted = zoomed(range, factor, around);
    drawing.call((plotly) => plotly.relayout(place, { "xaxis.range": wanted }));
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
    readAt(at);
    drawing.redraw();
  }

  update(data);
  return {
    update,
    destroy() {
      drawing.stop();
      element.replaceChildren();
    },
  };
}

/** @param {Plot} plot @param {number} x */
function nameAt({ x: axis }, x) {
  if (axis.says) return axis.says(x);
  const index = axis.names ? (axis.ticks ?? []).indexOf(x) : -1;
  const value = index < 0 ? String(Number(x.toPrecision(4))).replace("-", "−") : (axis.names ?? [])[index];
  return `${axis.name} ${value}`.trim();
}
