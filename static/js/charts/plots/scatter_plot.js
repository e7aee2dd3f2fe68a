/** Points in a plane with equal units on both axes, drawn by Plotly: point at, choose, select, zoom, switch off. */

import { differs } from "../../base/mount.js";
import { createScatterFrame } from "../scatter/scatter_frame.js";
import { nearest, spotIn } from "../scatter/spots.js";
import { isSame } from "./scatter_data.js";
import { createScatterDrawing } from "./scatter_drawing.js";
import { heightAround } from "./scatter_figure.js";
import { createScatterState } from "./scatter_state.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */

/**
 * @typedef {object} ScatterActions
 * @property {(at: At | null) => void} onPoint
 * @property {(at: At) => void} onPick
 * @property {(selected: At[]) => void} onSelect
 * @property {string} describedBy  id of the element that says what is pointed at
 */

const CLOSER = 0.5;
/** Pixels from a point at which a finger still means it. */
const FINGER = 24;
/** What follows the pointer: it is laid over the chart, which is not drawn again for it. @type {(keyof Scatter)[]} */
const OVERLAID = ["pointed", "pointedLinks", "numbers"];

/**
 * @param {HTMLElement} element
 * @param {Scatter} data
 * @param {ScatterActions} actions
 * @returns {import("../../base/mount.js").View<Scatter>}
 */
export function scatterPlot(element, data, actions) {
  const state = createScatterState(data, () => control.zoomedTo());
  const { control, frame, drawing } = scatterParts(element, state, actions, show);

  function show() {
    frame.show({ ...state.shown(), height: heightAround(state.size().height) }, state.off);
    drawing.redraw();
  }

  /** @param {Scatter} next */
  function update(next) {
    const before = state.shown();
    state.update(next);
    if (!differs(before, next, OVERLAID)) return drawing.overlay();
    if (before.of !== next.of) control.forget();
    show();
  }

  drawing.fit(frame.frame.clientWidth || 1);
  show();
  return {
    update,
    destroy() {
      drawing.stop();
      element.replaceChildren();
    },
  };
}

/**
 * The chart in its frame, bound to what can be done with it.
 * @param {HTMLElement} element
 * @param {ReturnType<typeof createScatterState>} state
 * @param {ScatterActions} actions
 * @param {() => void} onToggle  a series went on or off
 */
function scatterParts(element, state, { onPoint, onPick, onSelect, describedBy }, onToggle) {
  const { control, frame } = createScatterFrame(element, {
    ...state,
    describedBy,
    closer: CLOSER,
    isSame,
    selected: () => state.shown().selected,
    draw: () => drawing.redraw(),
    onMove: move,
    onPick(point) {
      state.goTo(point);
      onPick(point);
    },
    onSelect,
    onToggle(name) {
      state.toggle(name);
      onToggle();
    },
    onSave: (format) => drawing.save(format, { title: state.shown().title, hasLegend: false }),
    onRetry: () => drawing.redraw(),
    onTap(tap) {
      const hit = nearest(state.spots(), spotIn(place.querySelector(".nsewdrag") ?? place, tap), FINGER);
      if (!hit) return;
      onPoint(hit.at);
      pick(hit.at);
    },
    onSelecting: () => drawing.redraw(),
  });
  const place = frame.frame;
  const drawing = createScatterDrawing(frame, state, control, { onPoint, pick, onSelect });
  place.addEventListener("focus", () => {
    const from = place.matches(":focus-visible") && state.start();
    if (from) move(from);
  });

  /** @param {At} point @param {boolean} [isSelecting] */
  function pick(point, isSelecting) {
    state.goTo(point);
    control.pick(point, isSelecting);
  }

  /** @param {At | null} next */
  function move(next) {
    if (next) state.goTo(next);
    const extent = next && state.following(next);
    if (extent) control.show(extent);
    onPoint(next);
  }

  return { control, frame, drawing };
}
