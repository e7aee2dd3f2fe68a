/** Pointing at a scatter, clicking it and dragging over it: a box to zoom into, a box or a lasso to select with. */

import { spotIn } from "./spots.js";

/** @typedef {import("./extents.js").Spot} Spot */
/** @typedef {import("./spots.js").Selecting | "zoom"} Mode */

/** From here on a press is a drag, in pixels. */
const SLACK = 4;

/** @param {string | false} mode @returns {mode is import("./spots.js").Selecting} */
export function isSelecting(mode) {
  return mode === "select" || mode === "lasso";
}

/**
 * @param {HTMLElement | SVGSVGElement} place  whose units are pixels
 * @param {object} actions
 * @param {() => Mode | false} actions.mode  false: dragging does nothing
 * @param {(event: PointerEvent) => boolean} [actions.isOn]  whether a drag may begin there
 * @param {(at: Spot | null) => void} actions.onPoint
 * @param {(at: Spot, event: PointerEvent) => void} actions.onPick
 * @param {(dragged: readonly Spot[] | null, mode: Mode) => void} actions.onDrag  null: it is over
 * @param {(dragged: readonly Spot[], mode: Mode, event: PointerEvent) => void} actions.onEnclose
 */
export function bindDragging(place, { mode, isOn = () => true, onPoint, onPick, onDrag, onEnclose }) {
  const element = /** @type {HTMLElement} */ (place);
  /** Where the pointer has been since it was pressed. @type {Spot[]} */
  let dragged = [];
  let isDragging = false;
  /** A finger that does not select scrolls the page, and taps (`plot_frame.js`). @param {PointerEvent} event */
  const isOurs = ({ pointerType }) => pointerType !== "touch" || isSelecting(mode());

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !isOurs(event) || !isOn(event)) return;
    dragged = [spotIn(element, event)];
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!isOurs(event)) return;
    const spot = spotIn(element, event);
    if (dragged.length === 0) return onPoint(spot);
    dragged.push(spot);
    isDragging ||= Math.hypot(spot.x - dragged[0].x, spot.y - dragged[0].y) >= SLACK;
    const way = mode();
    if (isDragging && way) onDrag(dragged, way);
  });
  element.addEventListener("pointerleave", () => dragged.length === 0 && onPoint(null));
  element.addEventListener("pointercancel", stop);
  element.addEventListener("pointerup", (event) => {
    const [drawn, wasDragging, way] = [dragged, isDragging, mode()];
    stop();
    if (drawn.length === 0) return;
    if (!wasDragging) onPick(drawn[0], event);
    else if (way) onEnclose(drawn, way, event);
  });

  function stop() {
    dragged = [];
    isDragging = false;
    onDrag(null, "zoom");
  }
}
