/**
 * What every heat map has on the page: a canvas of cells, labels around it, marks over it, a tip beside the pointer; and
 * pointer, wheel, fingers and keys that move its view.
 */

import { fill } from "../../base/dom.js";
import { whenSized } from "../../base/theme/paper.js";
import { mark, moveTo, setBox } from "../overlay.js";
import { drawAxes } from "./axis_canvas.js";
import { mapParts, sized } from "./cell_frames.js";
import { bindGestures } from "./gestures.js";
import { pressKey } from "./keyboard.js";

/** @typedef {import("./cells.js").Pointed} Pointed */
/** @typedef {import("./tile_painter.js").Drawing} Drawing */
/** @typedef {Pick<ReturnType<typeof import("./layout.js").shapeOf>, "inner" | "width" | "height" | "font">} Shape */

/**
 * @typedef {object} FrameOptions
 * @property {() => void} draw  anew, in the room that there is now
 * @property {() => Pointed} chosen  the cell from which keys lead
 * @property {(at: Pointed) => void} onPoint  null beside the plot
 * @property {(at: Pointed) => void} onTap
 * @property {(at: {query: number, key: number}) => void} onStep  a key led there
 */

/** Pixels that the tooltip needs to the right of the pointer. */
const TIP_ROOM = 190;

/**
 * @param {HTMLElement} element
 * @param {import("./movable_window.js").MovableWindow} view
 * @param {FrameOptions} options
 */
export function createMapFrame(element, view, { draw, chosen, onPoint, onTap, onStep }) {
  const parts = mapParts();
  const { frame, hatch, cells, axes } = parts;
  const showTip = bindTip(parts);
  /** @type {Shape | null} */
  let shape = null;
  const unbind = bindGestures(frame, {
    area: () => hatch.getBoundingClientRect(),
    canPan: () => !view.isWhole(),
    canWheel: () => frame.contains(document.activeElement),
    onPoint: (x, y) => onPoint(view.cellAt(x, y)),
    onLeave: () => onPoint({ query: null, key: null }),
    onTap: (x, y) => onTap(view.cellAt(x, y)),
    onReset: view.showAll,
    onPan: view.panBy,
    onZoom: view.zoomAt,
    onBox: (box) => shape && mark(parts.box, shape.inner, box && stretch(box.y), box && stretch(box.x)),
    onBoxed: view.showBox,
    onRest: view.rest,
  });
  const stopSizing = whenSized(element, draw);
  frame.addEventListener("keydown", (event) => {
    if (pressKey(event, view, chosen(), onStep)) event.preventDefault();
  });

  return {
    parts,
    /** @param {Shape} next @param {string} label  for those who do not see it */
    layOut(next, label) {
      shape = next;
      setBox(frame, { width: next.width, height: next.height });
      for (const part of [hatch, cells]) setBox(part, next.inner);
      frame.classList.toggle("can-pan", !view.isWhole());
      frame.setAttribute("aria-label", label);
    },
    /**
     * Paints everything that moves with the view.
     * @param {Shape} at
     * @param {Pick<import("./axis_canvas.js").Axes, "queries" | "keys" | "numbering" | "colors">} labels
     * @param {((target: CanvasRenderingContext2D, drawing: Drawing) => void) | null} drawCells  null: the previous ones stay
     */
    paint({ inner, width, height, font }, labels, drawCells) {
      const ratio = devicePixelRatio || 1;
      if (drawCells) {
        const target = sized(cells, inner, ratio);
        drawCells(target, { ...view.now(), width: cells.width, height: cells.height });
      }
      const target = sized(axes, { width, height }, ratio);
      target.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawAxes(target, { ...labels, ...view.now(), inner, font });
    },
    showTip,
    destroy() {
      unbind();
      stopSizing();
      element.replaceChildren();
    },
  };
}

/** What is said beside the pointer. @param {Pick<ReturnType<typeof mapParts>, "frame" | "tip">} parts */
function bindTip({ frame, tip }) {
  frame.addEventListener("pointermove", ({ clientX, clientY }) => {
    const { left, top, width } = frame.getBoundingClientRect();
    moveTo(tip, Math.min(clientX - left + 14, Math.max(0, width - TIP_ROOM)), clientY - top + 18);
  });
  return (/** @type {Node[] | null} */ words) => {
    tip.hidden = words === null;
    if (words) fill(tip, ...words);
  };
}

/** @param {[number, number]} shares */
function stretch([start, end]) {
  return { start, size: end - start };
}
