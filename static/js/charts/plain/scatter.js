/**
 * The points of `scatter_figure.js` as plain SVG, for saved files: what `scatter_plot.js` uses of Plotly, and no more.
 * A pointer names the nearest point, a click chooses it, dragging zooms or selects.
 */

import { el, fill } from "../../base/dom.js";
import { addLabel, downloadTitled, drawnAxes } from "./parts.js";
import { drawOverlay, pictureOf } from "./points.js";
import { bindDragging, isSelecting } from "../scatter/dragging.js";
import { extentBetween, withEqualUnits } from "../scatter/extents.js";
import { isEnclosed, nearest, outlineOf } from "../scatter/spots.js";

/** @typedef {import("./points.js").Layout} Layout */
/** @typedef {import("./points.js").Points} Points */
/** @typedef {import("../plots/plot_drawing.js").Drawing} Drawing */
/** @typedef {import("../plots/plot_drawing.js").Happened} Happened */
/** @typedef {import("../scatter/extents.js").Spot} Spot */
/** @typedef {{"xaxis.range[0]"?: number}} Zoomed */

/**
 * @typedef {object} Shown
 * @property {Points[]} traces
 * @property {Layout} layout
 * @property {Map<string, ((event: Happened & Zoomed) => void)[]>} listeners
 * @property {ReturnType<typeof pictureOf> | null} drawing
 * @property {{curveNumber: number, pointNumber: number} | null} pointed
 * @property {SVGElement | null} label
 */

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
    hover(place, parts) {
      const [point] = /** @type {{curveNumber: number, pointNumber: number}[]} */ (parts);
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
  place.style.touchAction = isSelecting(layout.dragmode) ? "none" : ""; // a finger that selects does not scroll
  fill(place, el("div", { class: "plain-plot" }, picture));
  drawOverlay(shown.drawing, layout);
  label(shown);
}

/** @param {Shown} shown */
function label(shown) {
  const { drawing, pointed, traces, layout } = shown;
  shown.label?.remove();
  shown.label = null;
  const trace = pointed && traces[pointed.curveNumber];
  const lines = trace && trace.visible ? trace.hovertext?.[pointed.pointNumber]?.split("<br>") : null;
  if (!drawing || !trace || !lines) return;
  const spot = { x: drawing.x.place(trace.x[pointed.pointNumber]), y: drawing.y.place(trace.y[pointed.pointNumber]) };
  shown.label = addLabel(drawing.picture, lines, spot, layout);
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
  /** @param {Spot | null} spot */
  function point(spot) {
    const shown = drawn.get(place);
    if (!shown) return;
    const hit = spot && pointAt(shown, spot);
    if (hit?.curveNumber === shown.pointed?.curveNumber && hit?.pointNumber === shown.pointed?.pointNumber) return;
    shown.pointed = hit;
    label(shown);
    if (hit) tell("plotly_hover", { points: [hit] });
    else tell("plotly_unhover", {});
  }

  const layoutNow = () => drawn.get(place)?.layout;
  bindDragging(place, {
    mode: () => /** @type {import("../scatter/dragging.js").Mode | false} */ (layoutNow()?.dragmode ?? false),
    isOn: ({ target }) => target instanceof Element && target.matches(".nsewdrag"),
    onPoint: point,
    onPick(spot, event) {
      const shown = drawn.get(place);
      const hit = shown && pointAt(shown, spot);
      if (hit) tell("plotly_click", { points: [hit], event });
    },
    onDrag(dragged, mode) {
      const shown = drawn.get(place);
      if (!shown) return;
      if (dragged) point(null);
      outline(shown, dragged ? outlineOf(dragged, mode) : "");
    },
    onEnclose(dragged, mode) {
      const shown = drawn.get(place);
      if (!shown) return;
      if (mode !== "zoom") return tell("plotly_selected", selected(shown, dragged, mode));
      const axes = zoomedTo(shown, dragged);
      if (!axes) return;
      /** @type {Drawing} */ (place)._fullLayout = axes;
      tell("plotly_relayout", { "xaxis.range[0]": axes.xaxis.range[0] });
    },
  });
  place.addEventListener("dblclick", () => tell("plotly_doubleclick", {}));
}

/** What dragging will zoom to or select. @param {Shown} shown @param {string} d */
function outline({ drawing, layout }, d) {
  if (!drawing) return;
  const { color, dash } = layout.newselection.line;
  const { dragged: path } = drawing.layers;
  path.setAttribute("d", d);
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

/** The axes with a box in view, the units equal. @param {Shown} shown @param {readonly Spot[]} dragged */
function zoomedTo({ drawing }, dragged) {
  if (!drawing) return null;
  const { left, right, top, bottom } = drawing.box;
  const wanted = extentBetween(dragged[0], dragged[dragged.length - 1], drawing);
  const { x, y } = withEqualUnits(wanted, { width: right - left, height: bottom - top });
  return drawnAxes(drawing.box, x, y);
}

/** @param {Shown} shown @param {readonly Spot[]} dragged @param {string} mode @returns {Partial<Happened>} */
function selected(shown, dragged, mode) {
  const points = spotsOf(shown).filter((spot) => isEnclosed(spot, dragged, mode));
  return { points: points.map(({ at }) => at), ...(mode === "lasso" ? { lassoPoints: {} } : { range: {} }) };
}
