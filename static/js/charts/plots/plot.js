/** Charts over one axis, drawn by Plotly: read values at a place, zoom along the axis, switch series on and off. */

import { fill } from "../../base/dom.js";
import { actOnKey } from "../key_acts.js";
import { createPlotDrawing } from "./plot_drawing.js";
import { createPlotFrame } from "./plot_frame.js";
import { createPlotState } from "./plot_state.js";
import { drawnView } from "../../base/mount.js";

/** @typedef {import("./plot_data.js").Plot} Plot */

const plain = () => import("../plain/plots.js");

/**
 * @param {HTMLElement} element
 * @param {Plot} data
 * @returns {import("../../base/mount.js").View<Plot>}
 */
export function plotView(element, data) {
  const state = createPlotState(data);
  const { frame, drawing } = plotParts(element, state, show);

  function show() {
    frame.show(state.shown(), state.off);
    drawing.redraw();
  }

  /** @param {Plot} next */
  function update(next) {
    state.update(next);
    tellPlace(frame, state);
    show();
  }

  return drawnView(element, data, update, () => drawing.stop());
}

/**
 * The chart in its frame, bound to what can be done with it.
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createPlotState>} state
 * @param {() => void} onToggle  a series went on or off
 */
function plotParts(element, state, onToggle) {
  const frame = createPlotFrame({
    onZoom: zoom,
    onReset: reset,
    onToggle(name) {
      state.toggle(name);
      onToggle();
    },
    onSave: (format) => drawing.save(format, savedAs(state.shown())),
    onRetry: () => drawing.redraw(),
    onKey: (event) =>
      actOnKey(event, {
        acts: { "+": () => zoom(0.5), "-": () => zoom(2), 0: reset, Escape: () => move(null) },
        step: () => state.step(event),
        move,
      }),
    onTap({ clientX }) {
      const axis = place._fullLayout?.xaxis;
      const x = axis ? state.under(axis, clientX - place.getBoundingClientRect().left) : null;
      if (x !== null) move(x);
    },
  });
  fill(element, frame.element);
  const drawing = createPlotDrawing(frame, {
    plain: async () => (await plain()).plainPlots,
    figure: state.figure,
    listen: (drawn) => listenTo(drawn, { readAt, reset }),
  });
  const { place } = drawing;

  /** @param {number | null} x */
  function readAt(x) {
    state.goTo(x);
    tellPlace(frame, state);
  }

  /** @param {number | null} x  null: nothing is read */
  function move(x) {
    readAt(x);
    if (x === null) drawing.call(({ Fx }) => Fx.unhover(place));
    else if (Number.isFinite(x)) drawing.call(({ Fx }) => Fx.hover(place, { xval: x }, "xy"));
  }

  /** @param {number} factor  below 1: closer */
  function zoom(factor) {
    const axis = place._fullLayout?.xaxis;
    const range = axis && state.zoomed(axis, factor);
    if (range) drawing.call((plotly) => plotly.relayout(place, { "xaxis.range": range }));
  }

  function reset() {
    state.showAll();
    drawing.redraw();
  }

  return { frame, drawing };
}

/**
 * @param {ReturnType<typeof createPlotFrame>} frame
 * @param {ReturnType<typeof createPlotState>} state
 */
function tellPlace(frame, state) {
  const { current, says } = state.read();
  frame.read(state.shown().x, current, says);
}

/** @param {Plot} plot */
function savedAs({ title, series }) {
  return { title, hasLegend: series.length > 1 };
}

/**
 * @param {import("./plot_drawing.js").Drawing} drawn
 * @param {{readAt: (x: number) => void, reset: () => void}} on
 */
function listenTo(drawn, { readAt, reset }) {
  drawn.on?.("plotly_hover", (/** @type {{points?: {x: unknown}[]}} */ { points }) => {
    const x = Number(points?.[0]?.x);
    if (Number.isFinite(x)) readAt(x);
  });
  drawn.on?.("plotly_doubleclick", reset);
}
