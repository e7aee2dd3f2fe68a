/** Dragging over the map: a box to zoom into, a box or a lasso to select with; pointing and clicking otherwise. */

import { fill, svg } from "../../../base/dom.js";
import { inBox, inLasso } from "./map_geometry.js";

/** @typedef {import("./map_geometry.js").Spot} Spot */

/** Pixels that a pointer moves before it drags. */
const SLACK = 5;

/**
 * @param {SVGSVGElement} picture  whose units are pixels
 * @param {SVGElement} layer  for the outline
 * @param {object} actions
 * @param {() => "select" | "lasso" | null} actions.way  null: dragging zooms, except with a finger, which scrolls
 * @param {() => readonly (Spot | null)[]} actions.spots
 * @param {(at: Spot | null) => void} actions.onPoint
 * @param {(at: Spot, isAdding: boolean) => void} actions.onPick
 * @param {(indices: number[], isAdding: boolean) => void} actions.onSelect
 * @param {(one: Spot, other: Spot) => void} actions.onBox
 */
export function bindDragging(picture, layer, { way, spots, onPoint, onPick, onSelect, onBox }) {
  /** @type {Spot[]} */
  let line = [];
  let isDragging = false;

  /** @param {PointerEvent | MouseEvent} event @returns {Spot} */
  function spotOf({ clientX, clientY }) {
    const { left, top } = picture.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  function outline() {
    const [from, to] = [line[0], line[line.length - 1]];
    if (way() === "lasso") {
      return svg("polygon", { class: "atlas-outline", points: line.map(({ x, y }) => `${x},${y}`).join(" ") });
    }
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    const size = { width: Math.abs(from.x - to.x), height: Math.abs(from.y - to.y) };
    return svg("rect", { class: "atlas-outline", x, y, ...size });
  }

  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.pointerType === "touch" && way() === null)) return;
    line = [spotOf(event)];
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointermove", (event) => {
    const at = spotOf(event);
    if (line.length === 0) {
      if (event.pointerType !== "touch") onPoint(at);
      return;
    }
    isDragging ||= Math.hypot(at.x - line[0].x, at.y - line[0].y) > SLACK;
    if (!isDragging) return;
    line.push(at);
    fill(layer, outline());
  });
  picture.addEventListener("pointerleave", () => line.length === 0 && onPoint(null));
  picture.addEventListener("pointercancel", stop);
  picture.addEventListener("pointerup", (event) => {
    const [from, at] = [line[0], spotOf(event)];
    const drawn = line;
    const wasDragging = isDragging;
    stop();
    if (!from) return;
    if (!wasDragging) return onPick(at, event.shiftKey);
    const kind = way();
    if (kind === null) onBox(from, at);
    else onSelect(kind === "lasso" ? inLasso(spots(), drawn) : inBox(spots(), from, at), event.shiftKey);
  });

  function stop() {
    line = [];
    isDragging = false;
    fill(layer);
  }
}
