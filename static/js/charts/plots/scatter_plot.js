/** Points in a plane with equal units on both axes, drawn by Plotly: point at, choose, select, zoom, switch off. */

import { differs } from "../../base/mount.js";
import { createScatterFrame } from "../scatter/scatter_frame.js";
import { nearest, spotIn } from "../scatter/spots.js";
import { createPlotDrawing } from "./plot_drawing.js";
import { isSame } from "./scatter_data.js";
import { heightAround, overlayOf, scatterFigure, sizeWithin } from "./scatter_figure.js";
import { createScatterState } from "./scatter_state.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */
/** @typedef {import("./plot_drawing.js").Drawing} Drawing */

/**
 * @typedef {object} ScatterActions
 * @property {(at: At | null) => void} onPoint
 * @property {(at: At) => void} onPick
 * @property {(selected: At[]) => void} onSelect
 * @property {string} describedBy  id of the element that says what is pointed at
 */

const plain = () => import("../plain/scatter.js");

const CLOSER = 0.5;
/** Pixels from a point at which a finger still means it. */
const FINGER = 24;

/**
 * @param {HTMLElement} element
 * @param {Scatter} data
 * @param {ScatterActions} actions
 * @returns {import("../../base/mount.js").View<Scatter>}
 */
export function scatterPlot(element, data, { onPoint, onPick, onSelect, describedBy }) {
  const state = createScatterState(data, () => control.zoomedTo());
  /** Points that have names in the chart. @type {ReturnType<typeof scatterFigure>["names"]} */
  let names = new Map();
  let isHovered = false;
  /** Whether what is being selected is added to the selection. */
  let isAdding = false;
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
      tellFrame();
      drawing.redraw();
    },
    onSave: (format) => drawing.save(format, { title: state.shown().title, hasLegend: false }),
    onRetry: () => drawing.redraw(),
    onTap(tap) {
      const found = nearest(state.spots(), spotIn(place.querySelector(".nsewdrag") ?? place, tap), FINGER);
      if (!found) return;
      onPoint(found.at);
      pick(found.at);
    },
    onSelecting: () => drawing.redraw(),
  });
  const place = frame.frame;
  const drawing = createPlotDrawing(frame, {
    plain: async () => (await plain()).plainScatter,
    figure({ colors, width, font, hasPointer }) {
      fit(width);
      const { off, extent, size } = state;
      const scene = { colors, off, extent: extent(), size: size(), font };
      const dragmode = control.selecting() ?? (hasPointer ? "zoom" : false);
      const { names: placed, ...figure } = scatterFigure(state.shown(), { ...scene, dragmode });
      names = placed;
      return figure;
    },
    listen: (drawn) =>
      listenTo(drawn, state.shown, {
        onHover(point) {
          if (!point && !isHovered) return;
          isHovered = point !== null; // Plotly names the point
          onPoint(point);
        },
        onClick: pick,
        onDoubleClick: () => (control.selecting() ? onSelect([]) : control.reset()),
        onSelected(points) {
          control.select(points, isAdding);
          drawing.redraw(); // takes the outline away
        },
        onZoomed: control.show,
      }),
  });
  place.addEventListener("pointerdown", (event) => (isAdding = event.shiftKey), { capture: true });
  place.addEventListener("focus", () => {
    const from = place.matches(":focus-visible") && state.start();
    if (from) move(from);
  });

  /** @param {number} width  of the chart */
  function fit(width) {
    state.fit(sizeWithin(width, 0).width);
    frame.setHeight(heightAround(state.size().height));
  }

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

  function tellFrame() {
    frame.show({ ...state.shown(), height: heightAround(state.size().height) }, state.off);
  }

  /** @param {Scatter} next */
  function update(next) {
    const before = state.shown();
    state.update(next);
    if (!differs(before, next, ["pointed", "pointedLinks", "numbers"])) return point();
    if (before.of !== next.of) control.forget();
    tellFrame();
    drawing.redraw();
  }

  function point() {
    const { shown, off } = state;
    drawing.call((plotly, colors) =>
      plotly.relayout(drawing.place, overlayOf(shown(), { colors, off, names: isHovered ? null : names })),
    );
  }

  fit(frame.frame.clientWidth || 1);
  tellFrame();
  drawing.redraw();
  return {
    update,
    destroy() {
      drawing.stop();
      element.replaceChildren();
    },
  };
}

/**
 * What Plotly tells of its points, as points of the scatter.
 * @param {Drawing} drawn
 * @param {() => Scatter} shown
 * @param {object} on
 * @param {(point: At | null) => void} on.onHover
 * @param {(point: At, isSelecting?: boolean) => void} on.onClick
 * @param {() => void} on.onDoubleClick
 * @param {(points: At[]) => void} on.onSelected
 * @param {(extent: import("../scatter/extents.js").Extent) => void} on.onZoomed
 */
function listenTo(drawn, shown, { onHover, onClick, onDoubleClick, onSelected, onZoomed }) {
  const atOf = (/** @type {{curveNumber: number, pointNumber: number}} */ { curveNumber, pointNumber }) => {
    const id = shown().series[curveNumber]?.ids[pointNumber];
    return id === undefined ? [] : [{ series: curveNumber, id }];
  };
  drawn.on?.("plotly_hover", ({ points }) => onHover(points.flatMap(atOf)[0] ?? null));
  drawn.on?.("plotly_unhover", () => onHover(null));
  drawn.on?.("plotly_click", ({ points, event }) => {
    const [point] = points.flatMap(atOf);
    if (point) onClick(point, event?.shiftKey);
  });
  drawn.on?.("plotly_doubleclick", onDoubleClick);
  drawn.on?.("plotly_selected", (found) => {
    if (found?.range || found?.lassoPoints) onSelected(found.points.flatMap(atOf)); // else the outline was taken away
  });
  drawn.on?.("plotly_relayout", (changed) => {
    const layout = drawn._fullLayout;
    if (layout && "xaxis.range[0]" in changed) onZoomed({ x: layout.xaxis.range, y: layout.yaxis.range });
  });
}
