/** The frame of a chart of points, with its tools, keys and touches bound to what they ask of it. */

import { fill } from "../../base/dom.js";
import { createPlotFrame } from "../plots/plot_frame.js";
import { createScatterControl } from "./control.js";

/** @typedef {import("../plots/plot_frame.js").PlotActions} PlotActions */

/**
 * @typedef {object} Framed
 * @property {string} describedBy  id of the element that says what is pointed at
 * @property {PlotActions["onToggle"]} [onToggle]
 * @property {PlotActions["onRetry"]} [onRetry]
 * @property {(way: import("./spots.js").Selecting | null) => void} onSelecting
 */

/**
 * @template P  a point
 * @param {HTMLElement} element
 * @param {import("./control.js").Controlled<P> & Framed & Pick<PlotActions, "onSave" | "onTap">} chart
 */
export function createScatterFrame(
  element,
  { describedBy, onToggle = () => {}, onRetry = () => {}, onSelecting, onSave, onTap, ...chart },
) {
  const control = createScatterControl(chart);
  const frame = createPlotFrame({
    onZoom: control.zoom,
    onReset: control.reset,
    onToggle,
    onRetry,
    onSave,
    onKey: control.key,
    onTap,
    onSelecting(way) {
      frame.selectBy(control.selectBy(way));
      onSelecting(control.selecting());
    },
  });
  frame.frame.setAttribute("aria-describedby", describedBy);
  frame.frame.addEventListener("blur", () => chart.onMove(null));
  fill(element, frame.element);
  return { control, frame };
}
