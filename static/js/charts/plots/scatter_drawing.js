/** Plotly's drawing of a scatter plot: its figure, what is laid over it, and what Plotly tells of its points. */

import { createPlotDrawing } from "./plot_drawing.js";
import { heightAround, overlayOf, scatterFigure, sizeWithin } from "./scatter_figure.js";

/** @typedef {import("./scatter_data.js").Scatter} Scatter */
/** @typedef {import("./scatter_data.js").At} At */
/** @typedef {import("./plot_drawing.js").Drawing} Drawing */

const plain = () => import("../plain/scatter.js");

/**
 * @param {ReturnType<typeof import("./plot_frame.js").createPlotFrame>} frame
 * @param {ReturnType<typeof import("./scatter_state.js").createScatterState>} state
 * @param {ReturnType<typeof import("../scatter/control.js").createScatterControl<At>>} control
 * @param {object} on
 * @param {(point: At | null) => void} on.onPoint
 * @param {(point: At, isSelecting?: boolean) => void} on.pick
 * @param {(selected: At[]) => void} on.onSelect
 */
export function createScatterDrawing(frame, state, control, { onPoint, pick, onSelect }) {
  /** Points that have names in the chart. @type {ReturnType<typeof scatterFigure>["names"]} */
  let names = new Map();
  /** Plotly names the point that it tells of. */
  let isHovered = false;
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

  /** Gives the points their size, before they are placed. @param {number} width  of the chart */
  function fit(width) {
    state.fit(sizeWithin(width, 0).width);
    frame.setHeight(heightAround(state.size().height));
  }

  return {
    ...drawing,
    fit,
    /** Draws again only what follows the pointer. */
    overlay() {
      const { off, shown } = state;
      const scatter = shown();
      drawing.call((plotly, colors) =>
        plotly.relayout(drawing.place, overlayOf(scatter, { colors, off, names: isHovered ? null : names })),
      );
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
