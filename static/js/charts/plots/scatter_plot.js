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
  /** Plotly names the point that it tells of. */
  let isHovered = false;
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
      show();
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
  const drawing = createPlotDrawing(frame, {
    plain: async () => (await plain()).plainScatter,
    figure({ colors, width, font, hasPointer }) {
      fit(width);
      const dragmode = control.selecting() ?? (hasPointer ? "zoom" : false);
      const { names: placed, ...figure } = scatterFigure(state.shown(), { ...state.view(), colors, font, dragmode });
      names = placed;
      return figure;
    },
    listen: (drawn) =>
      listenTo(drawn, state.shown, {
        onHover(point) {
          isHovered = point !== null;
          onPoint(point);
        },
        onClick: pick,
        onDoubleClick: () => (control.selecting() ? onSelect([]) : control.reset()),
        onSelected(points, isAdding) {
          control.select(points, isAdding);
          drawing.redraw(); // takes the outline away
        },
        onZoomed: control.show,
      }),
  });
  place.addEventListener("focus", () => {
    const from = place.matches(":focus-visible") && state.start();
    if (from) move(from);
  });

  const height = () => heightAround(state.size().height);

  /** @param {number} width  of the chart */
  function fit(width) {
    state.fit(sizeWithin(width, 0).width);
    frame.setHeight(height());
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

  function show() {
    frame.show({ ...state.shown(), height: height() }, state.off);
    drawing.redraw();
  }

  /** @param {Scatter} next */
  function update(next) {
    const before = state.shown();
    state.update(next);
    if (!differs(before, next, ["pointed", "pointedLinks", "numbers"])) {
      return drawing.call((plotly, colors) =>
        plotly.relayout(drawing.place, overlayOf(next, { colors, off: state.off, names: isHovered ? null : names })),
      );
    }
    if (before.of !== next.of) control.forget();
    show();
  }

  fit(frame.frame.clientWidth || 1);
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
 * What Plotly tells of its points, as points of the scatter.
 * @param {Drawing} drawn
 * @param {() => Scatter} shown
 * @param {object} on
 * @param {(point: At | null) => void} on.onHover
 * @param {(point: At, isSelecting?: boolean) => void} on.onClick
 * @param {() => void} on.onDoubleClick
 * @param {(points: At[], isAdding: boolean) => void} on.onSelected
 * @param {(extent: import("../scatter/extents.js").Extent) => void} on.onZoomed
 */
function listenTo(drawn, shown, { onHover, onClick, onDoubleClick, onSelected, onZoomed }) {
  const atOf = (/** @type {{curveNumber: number, pointNumber: number}} */ { curveNumber, pointNumber }) => {
    const id = shown().series[curveNumber]?.ids[pointNumber];
    return id === undefined ? [] : [{ series: curveNumber, id }];
  };
  let [isHovered, isAdding] = [false, false];
  drawn.addEventListener("pointerdown", (event) => (isAdding = event.shiftKey), { capture: true });
  const hover = (/** @type {At | null} */ point) => {
    if (!point && !isHovered) return;
    isHovered = point !== null;
    onHover(point);
  };
  drawn.on?.("plotly_hover", ({ points }) => hover(points.flatMap(atOf)[0] ?? null));
  drawn.on?.("plotly_unhover", () => hover(null));
  drawn.on?.("plotly_click", ({ points, event }) => {
    const [point] = points.flatMap(atOf);
    if (point) onClick(point, event?.shiftKey);
  });
  drawn.on?.("plotly_doubleclick", onDoubleClick);
  drawn.on?.("plotly_selected", (selection) => {
    if (selection?.range || selection?.lassoPoints) onSelected(selection.points.flatMap(atOf), isAdding); // else the outline was taken away
  });
  drawn.on?.("plotly_relayout", (changed) => {
    const layout = drawn._fullLayout;
    if (layout && "xaxis.range[0]" in changed) onZoomed({ x: layout.xaxis.range, y: layout.yaxis.range });
  });
}
