/**
 * The points of `scatter_figure.js` as plain SVG, for saved files: what `scatter_plot.js` uses of Plotly, and no more.
 * A pointer names the nearest point, a click chooses it, dragging zooms or selects.
 */

import { el, fill } from "../../base/dom.js";
import { addLabel, downloadTitled, drawnAxes } from "./parts.js";
import { drawOverlay, pictureOf } from "./points.js";
import { isInside, pathOf } from "./selection.js";
import { extentOf, nearest, rangesOf } from "../plots/scatter_layout.js";

/** @typedef {import("./points.js").Layout} Layout */
/** @typedef {import("./points.js").Points} Points */
/** @typedef {import("../plots/plot_drawing.js").Drawing} Drawing */
/** @typedef {import("../plots/plot_drawing.js").Happened} Happened */
/** @typedef {import("../plots/scatter_layout.js").Spot} Spot */
/** @typedef {{"xaxis.range[0]"?: number}} Zoomed */

/**
 * @typedef {object} Shown
 * @property {Points[]} traces
 * @property {Layout} layout
 * @property {Map<string, ((event: Happened & Zoomed) => void)[]>} listeners
 * @property {ReturnType<typeof pictureOf> | null} drawing
 * @property {{curveNumber: number, pointNumber: number} | null} pointed
 * @property {SVGElement | null} label
 * @property {Spot[] | null} dragged  where the pointer has been since it was pressed
 */

/** From here on a press is a drag, in pixels. */
const DRAG = 4;

/** @type {WeakMap<HTMLElement, Shown>} */
const drawn = new WeakMap();

/** @type {import("../plots/plot_drawing.js").Library} */
export const plainScatter = {
  react(place, data, layout) {
    const before = drawn.get(place);
    const listeners = before?.listeners ?? new Map();
    const figure = { traces: /** @type {Points[]} */ (data), layout: /** @type {Layout} */ (layout) };
    drawn.set(place, {
      ...figure,
      listeners,
      drawing: null,
      label: null,
      pointed: before?.pointed ?? null,
      dragged: before?.dragged ?? null,
    });
    if (!before) listenIn(place);
    draw(place);
    return Promise.resolve();
  },
  relayout(place, changes) {
    const shown = drawn.get(place);
    if (!shown?.drawing) return Promise.resolve();
    Object.assign(shown.layout, changes);
    drawOverlay(shown.drawing, shown.layout);
    return Promise.resolve();
  },
  async downloadImage({ data, layout }, { format, width, height, filename }) {
    const sized = /** @type {Layout} */ ({ ...layout, width, height });
    const drawing = pictureOf(/** @type {Points[]} */ (data), sized, String(layout.paper_bgcolor));
    drawOverlay(drawing, sized);
    await downloadTitled(drawing.picture, { width: Number(width), title: String(filename), format: String(format) });
  },
  purge(place) {
    drawn.delete(place);
    place.replaceChildren();
  },
  Fx: {
    hover(place, at) {
      const [point] = /** @type {{curveNumber: number, pointNumber: number}[]} */ (at);
      const shown = drawn.get(place);
      if (!shown) return;
      shown.pointed = point;
      label(shown);
    },
    unhover(place) {
      const shown = drawn.get(place);
      if (!shown) return;
      shown.pointed = null;
      label(shown);
    },
  },
};

/** @param {HTMLElement} place */
function draw(place) {
  const shown = drawn.get(place);
  if (!shown) return;
  const { traces, layout } = shown;
  shown.drawing = pictureOf(traces, layout, "none");
  const { picture, box } = shown.drawing;
  Object.assign(place, { data: traces, _fullLayout: drawnAxes(box, layout.xaxis.range, layout.yaxis.range) });
  place.style.touchAction = isSelecting(layout) ? "none" : ""; // a finger that selects does not scroll
  fill(place, el("div", { class: "plain-plot" }, picture));
  drawOverlay(shown.drawing, layout);
  label(shown);
}

/** @param {Layout} layout */
function isSelecting({ dragmode }) {
  return dragmode === "select" || dragmode === "lasso";
}

/** @param {Shown} shown */
function label(shown) {
  const { drawing, pointed, traces, layout } = shown;
  shown.label?.remove();
  shown.label = null;
  const trace = pointed && traces[pointed.curveNumber];
  const lines = trace && trace.visible ? trace.hovertext?.[pointed.pointNumber]?.split("<br>") : null;
  if (!drawing || !trace || !lines) return;
  const at = { x: drawing.x.place(trace.x[pointed.pointNumber]), y: drawing.y.place(trace.y[pointed.pointNumber]) };
  shown.label = addLabel(drawing.picture, lines, at, layout);
}

/** @param {HTMLElement} place */
function listenIn(place) {
  const tell = (/** @type {string} */ event, /** @type {Partial<Happened & Zoomed>} */ what) => {
    for (const listener of drawn.get(place)?.listeners.get(event) ?? []) listener({ points: [], ...what });
  };
  /** @type {Drawing} */ (place).on = (event, listener) => {
    const listeners = drawn.get(place)?.listeners;
    listeners?.set(event, [...(listeners.get(event) ?? []), listener]);
  };
  const spotIn = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { left, top } = place.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  /** A finger that does not select scrolls the page, and taps (`plot_frame.js`). @param {PointerEvent} event */
  const isOurs = ({ pointerType }) => {
    const shown = drawn.get(place);
    return shown !== undefined && (pointerType !== "touch" || isSelecting(shown.layout));
  };

  /** @param {Spot | null} spot */
  function point(spot) {
    const shown = drawn.get(place);
    if (!shown) return;
    const found = spot && pointAt(shown, spot);
    if (found?.curveNumber === shown.pointed?.curveNumber && found?.pointNumber === shown.pointed?.pointNumber) return;
    shown.pointed = found;
    label(shown);
    if (found) tell("plotly_hover", { points: [found] });
    else tell("plotly_unhover", {});
  }

  place.addEventListener("pointermove", (event) => {
    const shown = drawn.get(place);
    if (!shown || !isOurs(event)) return;
    if (!shown.dragged) return point(spotIn(event));
    shown.dragged.push(spotIn(event));
    if (isDrag(shown.dragged) && shown.layout.dragmode) {
      point(null);
      outline(shown);
    }
  });
  place.addEventListener("pointerleave", () => point(null));
  place.addEventListener("pointerdown", (event) => {
    const shown = drawn.get(place);
    const isOnPoints = event.target instanceof Element && event.target.matches(".nsewdrag");
    if (!shown || !isOurs(event) || event.button !== 0 || !isOnPoints) return;
    shown.dragged = [spotIn(event)];
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointercancel", () => {
    const shown = drawn.get(place);
    if (!shown) return;
    shown.dragged = null;
    outline(shown);
  });
  place.addEventListener("pointerup", (event) => {
    const shown = drawn.get(place);
    if (!shown?.dragged) return;
    const dragged = shown.dragged;
    shown.dragged = null;
    outline(shown);
    if (!isDrag(dragged)) {
      const found = pointAt(shown, dragged[0]);
      if (found) tell("plotly_click", { points: [found], event });
    } else if (shown.layout.dragmode === "zoom") {
      const axes = zoomedTo(shown, dragged);
      /** @type {Drawing} */ (place)._fullLayout = axes;
      tell("plotly_relayout", { "xaxis.range[0]": axes.xaxis.range[0] });
    } else if (isSelecting(shown.layout)) tell("plotly_selected", selected(shown, dragged));
  });
  place.addEventListener("dblclick", () => tell("plotly_doubleclick", {}));
}

/** @param {Spot[]} dragged */
function isDrag([first, ...others]) {
  return others.some(({ x, y }) => Math.hypot(x - first.x, y - first.y) >= DRAG);
}

/** What dragging will zoom to or select. @param {Shown} shown */
function outline({ drawing, dragged, layout }) {
  if (!drawing) return;
  const { color, dash } = layout.newselection.line;
  const { dragged: path } = drawing.layers;
  path.setAttribute("d", dragged && layout.dragmode ? pathOf(dragged, layout.dragmode) : "");
  path.setAttribute("stroke", color);
  path.setAttribute("stroke-dasharray", dash);
}

/** Every point that can be pointed at. @param {Shown} shown */
function spotsOf({ drawing, traces }) {
  if (!drawing) return [];
  const { x, y } = drawing;
  return traces.flatMap((trace, curveNumber) =>
    trace.visible && trace.hoverinfo !== "skip"
      ? [...trace.x].map((value, pointNumber) => {
          return { x: x.place(value), y: y.place(trace.y[pointNumber]), at: { curveNumber, pointNumber, x: value } };
        })
      : [],
  );
}

/** @param {Shown} shown @param {Spot} spot */
function pointAt(shown, spot) {
  return nearest(spotsOf(shown), spot, shown.layout.hoverdistance)?.at ?? null;
}

/** The axes with a box in view, the units equal. @param {Shown} shown @param {Spot[]} dragged */
function zoomedTo({ drawing, layout }, dragged) {
  const { box, x, y } = /** @type {ReturnType<typeof pictureOf>} */ (drawing);
  const size = { width: box.right - box.left, height: box.bottom - box.top };
  const [from, to] = [dragged[0], dragged[dragged.length - 1]];
  const { unit } = extentOf(layout.xaxis.range, layout.yaxis.range, size);
  const share = Math.max(Math.abs(to.x - from.x) / size.width, Math.abs(to.y - from.y) / size.height);
  const middle = /** @type {const} */ ([x.value((from.x + to.x) / 2), y.value((from.y + to.y) / 2)]);
  const ranges = rangesOf({ middle, unit: unit * share }, size);
  return drawnAxes(box, ranges.x, ranges.y);
}

/** @param {Shown} shown @param {Spot[]} dragged @returns {Partial<Happened>} */
function selected(shown, dragged) {
  const mode = String(shown.layout.dragmode);
  const points = spotsOf(shown).filter((spot) => isInside(spot, dragged, mode));
  return { points: points.map(({ at }) => at), ...(mode === "lasso" ? { lassoPoints: {} } : { range: {} }) };
}
