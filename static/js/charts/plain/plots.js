/**
 * The charts of `plot_figure.js` as plain SVG, for saved files, which would be three times as large with Plotly inside:
 * what `plot_drawing.js` uses of Plotly, and no more. A pointer reads the nearest values; the buttons zoom.
 */

import { el, fill, svg } from "../../base/dom.js";
import { short } from "../axes.js";
import { marksOf, plainText, valuesOf } from "./marks.js";
import { nearest, valueAt } from "../plots/plot_data.js";
import { addLabel, boxOf, downloadTitled, drawnAxes, isIn, nameAbove, pictureWith, rectOf, scale } from "./parts.js";

/** @typedef {import("../axes.js").Scale} Scale */
/** @typedef {import("./marks.js").Trace} Trace */
/** @typedef {import("../plots/plot_drawing.js").Drawing} Drawing */
/**
 * @typedef {{text: string, xref: string, x: number, xshift: number, yshift: number, xanchor: string}} Note
 * @typedef {import("./parts.js").Ground & {shapes: {x0: number, line: {color: string, dash: string}}[], annotations: Note[], uirevision?: string}} Layout
 */

/**
 * What is drawn in a place: a zoomed range stays until the revision changes.
 * @typedef {object} Shown
 * @property {Trace[]} traces
 * @property {Layout} layout
 * @property {[number, number] | null} zoom
 * @property {((event: object) => void)[]} listeners
 * @property {ReturnType<typeof pictureOf> | null} drawing
 * @property {SVGElement | null} label  at the place that is read
 */

/** @type {WeakMap<HTMLElement, Shown>} */
const drawn = new WeakMap();
/** @type {import("../plots/plot_drawing.js").Library} */
export const plainPlots = {
  react(place, data, layout) {
    const before = drawn.get(place);
    const next = /** @type {Layout} */ (layout);
    const zoom = before?.layout.uirevision === next.uirevision ? (before?.zoom ?? null) : null;
    const traces = /** @type {Trace[]} */ (data);
    const listeners = before?.listeners ?? [];
    drawn.set(place, { traces, layout: next, zoom, listeners, drawing: null, label: null });
    if (!before) listenIn(/** @type {Drawing} */ (place));
    draw(/** @type {Drawing} */ (place));
    return Promise.resolve();
  },
  relayout(place, changes) {
    const shown = drawn.get(place);
    const range = changes["xaxis.range"];
    if (shown && range) shown.zoom = /** @type {[number, number]} */ (range);
    draw(/** @type {Drawing} */ (place));
    return Promise.resolve();
  },
  async downloadImage({ data, layout }, { format, width, height, filename }) {
    const sized = /** @type {Layout} */ ({ ...layout, width, height });
    const { picture } = pictureOf(/** @type {Trace[]} */ (data), sized, null, String(layout.paper_bgcolor));
    await downloadTitled(picture, { width: Number(width), title: String(filename), format: String(format) });
  },
  purge(place) {
    drawn.delete(place);
    place.replaceChildren();
  },
  Fx: {
    hover(place, parts) {
      const shown = drawn.get(place);
      if (!shown?.drawing) return;
      const { xval } = /** @type {{xval: number}} */ (parts);
      const { picture, hair, x, box } = shown.drawing;
      const across = x.place(xval);
      for (const end of ["x1", "x2"]) hair.setAttribute(end, String(across));
      hair.removeAttribute("visibility");
      shown.label?.remove();
      const middle = { x: across, y: (box.top + box.bottom) / 2 };
      shown.label = isIn(x, xval) ? addLabel(picture, linesAt(shown, xval), middle, shown.layout) : null;
    },
    unhover(place) {
      const shown = drawn.get(place);
      shown?.drawing?.hair.setAttribute("visibility", "hidden");
      shown?.label?.remove();
    },
  },
};

/**
 * What a label says at a place of the x axis: its name or number, and every value there.
 * @param {Pick<Shown, "traces" | "layout">} shown
 * @param {number} wanted
 */
function linesAt({ traces, layout: { xaxis } }, wanted) {
  const name = xaxis.ticktext?.[xaxis.tickvals?.indexOf(wanted) ?? -1];
  const head = name ?? (xaxis.unifiedhovertitle?.text ?? "%{x}").replace(/%\{x[^}]*\}/, short(wanted));
  const values = traces.flatMap(({ visible, name: series, x, text }) =>
    visible ? [...x].flatMap((value, index) => (value === wanted ? [`${series}  ${text[index]}`] : [])) : [],
  );
  return [head, ...values];
}

/** Tells where the pointer is, as Plotly's events do. @param {Drawing} place */
function listenIn(place) {
  place.on = (event, listener) => {
    if (event === "plotly_hover") drawn.get(place)?.listeners.push(/** @type {(event: object) => void} */ (listener));
  };
  place.addEventListener("pointermove", ({ clientX }) => {
    const shown = drawn.get(place);
    const axis = place._fullLayout?.xaxis;
    if (!shown || !axis) return;
    const across = clientX - place.getBoundingClientRect().left;
    const wanted = valueAt(axis, across, shown.layout.xaxis.type === "log");
    const places = shown.traces.filter((trace) => trace.visible).flatMap((trace) => [...trace.x]);
    if (places.length === 0) return;
    const x = nearest(places, wanted);
    plainPlots.Fx.hover(place, { xval: x }, "xy");
    for (const tell of shown.listeners) tell({ points: [{ x, curveNumber: 0, pointNumber: 0 }] });
  });
  place.addEventListener("pointerleave", () => plainPlots.Fx.unhover(place));
}

/** @param {Drawing} place */
function draw(place) {
  const shown = drawn.get(place);
  if (!shown) return;
  shown.drawing = pictureOf(shown.traces, shown.layout, shown.zoom);
  shown.label = null;
  const { picture, box, range } = shown.drawing;
  place.data = shown.traces;
  place._fullLayout = drawnAxes(box, range, shown.layout.yaxis.range);
  fill(place, el("div", { class: "plain-plot" }, picture));
}

/**
 * @param {Trace[]} traces
 * @param {Layout} layout
 * @param {[number, number] | null} zoom
 * @param {string} [ground]
 */
function pictureOf(traces, layout, zoom, ground = "none") {
  const box = boxOf(layout);
  const range = zoom ?? layout.xaxis.range;
  const x = scale(layout.xaxis, range, box.left, box.right);
  const y = scale(layout.yaxis, layout.yaxis.range, box.bottom, box.top);
  const clip = `plain-${Math.random().toString(36).slice(2)}`;
  const clipped = svg("g", { "clip-path": `url(#${clip})` });
  const bars = traces.filter((trace) => trace.type === "bar" && trace.visible);
  for (const trace of traces) if (trace.visible) clipped.append(...marksOf(trace, x, y, bars));
  const hair = svg("line", { y1: box.top, y2: box.bottom, stroke: layout.font.color, visibility: "hidden" });
  const picture = pictureWith(
    layout,
    { x, y, ground },
    svg("clipPath", { id: clip }, svg("rect", rectOf(box, 2))),
    ...verticalsOf(layout, box, x),
    clipped,
    ...bars.flatMap((trace) => (trace.textposition === "outside" ? valuesOf(trace, x, y, bars) : [])),
    ...notesOf(layout, box, x),
    hair,
  );
  return { picture, hair, box, x, range };
}

/** @param {Layout} layout @param {import("../axes.js").Box} box @param {Scale} x */
function verticalsOf({ shapes }, { top, bottom }, x) {
  const ends = (/** @type {number} */ value) => ({ x1: x.place(value), x2: x.place(value), y1: top, y2: bottom });
  return shapes
    .filter(({ x0 }) => isIn(x, x0))
    .map(({ x0, line: { color, dash } }) => svg("line", { stroke: color, "stroke-dasharray": dash, ...ends(x0) }));
}

/** The names of the y axis and of vertical lines. @param {Layout} layout @param {import("../axes.js").Box} box @param {Scale} x */
function notesOf({ annotations, xaxis, plot_bgcolor: ground }, box, x) {
  return annotations.flatMap((note) => {
    if (note.xref === "paper") return [nameAbove(note, box)];
    const { text, x: noteX, xshift, yshift, xanchor } = note;
    const place = x.place(xaxis.type === "log" ? 10 ** noteX : noteX);
    if (place < box.left - 1 || place > box.right + 1) return [];
    const anchor = xanchor === "right" ? "end" : "start";
    const halo = { stroke: ground, "stroke-width": 4, "paint-order": "stroke" }; // readable over bars and curves
    const spot = { x: place + xshift, y: box.bottom - 5 - yshift };
    return [svg("text", { ...spot, "text-anchor": anchor, ...halo }, plainText(text))];
  });
}
