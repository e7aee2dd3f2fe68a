/**
 * The charts of `plot_figure.js` as plain SVG, for saved files, which would be three times as large with Plotly inside:
 * what `plot_drawing.js` uses of Plotly, and no more. A pointer reads the nearest values; the buttons zoom.
 */

import { el, fill, svg } from "../base/dom.js";
import { download, pngFile, svgFile } from "../base/picture_files.js";
import { marksOf, plainText, valuesOf } from "./plain_marks.js";
import { scaleOf, short } from "./axes.js";

/** @typedef {import("./plot_drawing.js").Drawing} Drawing */
/** @typedef {import("./plot_figure.js").Part} Part */

/** @typedef {import("./plain_marks.js").Trace} Trace */
/**
 * @typedef {{type: string, range: [number, number], tickvals?: number[], ticktext?: string[], tickangle?: number, linecolor: string, gridcolor?: string, title?: {text: string}}} LayoutAxis
 * @typedef {{text: string, xref: string, x: number, xshift: number, yshift: number, xanchor: string}} Note
 * @typedef {{width: number, height: number, margin: {l: number, r: number, t: number, b: number}, font: {family: string, size: number, color: string}, plot_bgcolor: string, xaxis: LayoutAxis, yaxis: LayoutAxis, shapes: {x0: number, line: {color: string, dash: string}}[], annotations: Note[], uirevision?: string}} Layout
 */

/** What is drawn in a place: a zoomed range stays until the revision changes. @type {WeakMap<HTMLElement, {traces: Trace[], layout: Layout, zoom: [number, number] | null, listeners: ((event: object) => void)[], hair: SVGElement | null}>} */
const drawn = new WeakMap();
/** @type {import("./plot_drawing.js").Library} */
export const plainPlots = {
  react(place, data, layout) {
    const before = drawn.get(place);
    const next = /** @type {Layout} */ (layout);
    const zoom = before?.layout.uirevision === next.uirevision ? (before?.zoom ?? null) : null;
    const traces = /** @type {Trace[]} */ (data);
    drawn.set(place, { traces, layout: next, zoom, listeners: before?.listeners ?? [], hair: null });
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
    const title = svg(
      "text",
      { x: Number(width) / 2, y: 24, "text-anchor": "middle", "font-size": 17 },
      String(filename),
    );
    picture.append(title);
    const file = format === "svg" ? svgFile(picture) : await pngFile(picture);
    download(file, `${filename}.${format}`);
  },
  purge(place) {
    drawn.delete(place);
    place.replaceChildren();
  },
  Fx: {
    hover(place, at) {
      const shown = drawn.get(place);
      const { xval } = /** @type {{xval: number}} */ (at);
      const axis = /** @type {Drawing} */ (place)._fullLayout?.xaxis;
      if (!shown?.hair || !axis) return;
      const value = shown.layout.xaxis.type === "log" ? Math.log10(xval) : xval;
      const x = axis._offset + ((value - axis.range[0]) / (axis.range[1] - axis.range[0])) * axis._length;
      for (const end of ["x1", "x2"]) shown.hair.setAttribute(end, String(x));
      shown.hair.removeAttribute("visibility");
    },
    unhover(place) {
      drawn.get(place)?.hair?.setAttribute("visibility", "hidden");
    },
  },
};

/** Tells where the pointer is, as Plotly's events do. @param {Drawing} place */
function listenIn(place) {
  place.on = (event, listener) => {
    if (event === "plotly_hover") drawn.get(place)?.listeners.push(/** @type {(event: object) => void} */ (listener));
  };
  place.addEventListener("pointermove", ({ clientX }) => {
    const shown = drawn.get(place);
    const axis = place._fullLayout?.xaxis;
    if (!shown || !axis) return;
    const share = (clientX - place.getBoundingClientRect().left - axis._offset) / axis._length;
    const value = axis.range[0] + share * (axis.range[1] - axis.range[0]);
    const wanted = shown.layout.xaxis.type === "log" ? 10 ** value : value;
    const all = shown.traces.filter((trace) => trace.visible).flatMap((trace) => [...trace.x]);
    if (all.length === 0) return;
    const x = all.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));
    plainPlots.Fx.hover(place, { xval: x }, "xy");
    for (const tell of shown.listeners) tell({ points: [{ x, curveNumber: 0, pointNumber: 0 }] });
  });
  place.addEventListener("pointerleave", () => plainPlots.Fx.unhover(place));
}

/** @param {Drawing} place */
function draw(place) {
  const shown = drawn.get(place);
  if (!shown) return;
  const { picture, hair, xaxis, yaxis } = pictureOf(shown.traces, shown.layout, shown.zoom);
  shown.hair = hair;
  place._fullLayout = { xaxis, yaxis };
  fill(place, el("div", { class: "plain-plot" }, picture));
}

/**
 * @param {Trace[]} traces
 * @param {Layout} layout
 * @param {[number, number] | null} zoom
 * @param {string} [ground]
 */
function pictureOf(traces, layout, zoom, ground = "none") {
  const { width, height, margin, font } = layout;
  // A place that is not shown yet has no size.
  const box = {
    left: margin.l,
    right: Math.max(width - margin.r, margin.l + 1),
    top: margin.t,
    bottom: Math.max(height - margin.b, margin.t + 1),
  };
  const xRange = zoom ?? layout.xaxis.range;
  const x = scale(layout.xaxis, xRange, box.left, box.right);
  const y = scale(layout.yaxis, layout.yaxis.range, box.bottom, box.top);
  const clip = `plain-${Math.random().toString(36).slice(2)}`;
  const clipped = svg("g", { "clip-path": `url(#${clip})` });
  const bars = traces.filter((trace) => trace.type === "bar" && trace.visible);
  for (const trace of traces) if (trace.visible) clipped.append(...marksOf(trace, x, y, bars));
  const hair = svg("line", { y1: box.top, y2: box.bottom, stroke: font.color, visibility: "hidden" });
  const picture = svg(
    "svg",
    {
      ...{
        class: "main-svg",
        xmlns: "http://www.w3.org/2000/svg",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        "aria-hidden": "true",
      },
      ...{ "font-family": font.family, "font-size": font.size, fill: font.color },
    },
    svg("clipPath", { id: clip }, svg("rect", rectOf(box, 2))),
    svg("rect", { width, height, fill: ground }),
    svg("rect", { ...rectOf(box), fill: layout.plot_bgcolor }),
    ...axesOf(layout, box, x, y),
    clipped,
    ...bars.flatMap((trace) => (trace.textposition === "outside" ? valuesOf(trace, x, y, bars) : [])),
    ...notesOf(layout, box, x),
    hair,
  );
  const axis = (/** @type {[number, number]} */ range, /** @type {number} */ offset, /** @type {number} */ length) => {
    return { range, _offset: offset, _length: length };
  };
  return {
    picture,
    hair,
    xaxis: axis(xRange, box.left, box.right - box.left),
    yaxis: axis(layout.yaxis.range, box.top, box.bottom - box.top),
  };
}

/** @param {import("./axes.js").Box} box @param {number} [more] */
function rectOf({ left, right, top, bottom }, more = 0) {
  return {
    x: left - more,
    y: top - more,
    width: Math.max(right - left + 2 * more, 0),
    height: Math.max(bottom - top + 2 * more, 0),
  };
}

/** @param {LayoutAxis} axis @param {[number, number]} range @param {number} from @param {number} to */
function scale({ type, tickvals }, range, from, to) {
  const log = type === "log";
  const [least, most] = log ? range.map((one) => 10 ** one) : range;
  return scaleOf({ least, most, log, ...(tickvals && { ticks: tickvals }) }, [], from, to);
}

/**
 * @param {Layout} layout
 * @param {import("./axes.js").Box} box
 * @param {import("./axes.js").Scale} x
 * @param {import("./axes.js").Scale} y
 */
function axesOf({ xaxis, yaxis, shapes, font }, { left, right, top, bottom }, x, y) {
  const line = { stroke: yaxis.gridcolor ?? font.color, "stroke-width": 0.5 };
  const isIn = (/** @type {import("./axes.js").Scale} */ { least, most }, /** @type {number} */ value) =>
    value >= Math.min(least, most) && value <= Math.max(least, most);
  const says = (/** @type {LayoutAxis} */ axis, /** @type {number} */ tick) =>
    axis.ticktext?.[axis.tickvals?.indexOf(tick) ?? -1] ?? short(tick);
  const upright = (/** @type {number} */ at) =>
    xaxis.tickangle === -90
      ? { transform: `rotate(-90 ${at} ${bottom + 8})`, x: at, y: bottom + 12, "text-anchor": "end" }
      : { x: at, y: bottom + 17, "text-anchor": "middle" };
  return [
    ...y.ticks
      .filter((tick) => isIn(y, tick))
      .flatMap((tick) => [
        svg("line", { ...line, x1: left, x2: right, y1: y.place(tick), y2: y.place(tick) }),
        svg("text", { x: left - 6, y: y.place(tick) + 4, "text-anchor": "end" }, plainText(says(yaxis, tick))),
      ]),
    ...x.ticks
      .filter((tick) => isIn(x, tick))
      .flatMap((tick) => [
        svg("line", { stroke: xaxis.linecolor, x1: x.place(tick), x2: x.place(tick), y1: bottom, y2: bottom + 4 }),
        svg("text", upright(x.place(tick)), plainText(says(xaxis, tick))),
      ]),
    svg("line", { stroke: xaxis.linecolor, x1: left, x2: right, y1: bottom, y2: bottom }),
    svg(
      "text",
      { x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle", "font-style": "italic" },
      plainText(xaxis.title?.text ?? ""),
    ),
    ...shapes
      .filter(({ x0 }) => isIn(x, x0))
      .map(({ x0, line: { color, dash } }) =>
        svg("line", { stroke: color, "stroke-dasharray": dash, x1: x.place(x0), x2: x.place(x0), y1: top, y2: bottom }),
      ),
  ];
}

/** The names of the y axis and of vertical lines. @param {Layout} layout @param {import("./axes.js").Box} box @param {import("./axes.js").Scale} x */
function notesOf({ annotations, xaxis, plot_bgcolor: ground }, { left, right, top, bottom }, x) {
  return annotations.flatMap(({ text, xref, x: at, xshift, yshift, xanchor }) => {
    if (xref === "paper")
      return [svg("text", { x: left + xshift, y: top - yshift, "font-style": "italic" }, plainText(text))];
    const place = x.place(xaxis.type === "log" ? 10 ** at : at);
    if (place < left - 1 || place > right + 1) return [];
    const anchor = xanchor === "right" ? "end" : "start";
    const halo = { stroke: ground, "stroke-width": 4, "paint-order": "stroke" }; // readable over bars and curves
    return [
      svg("text", { x: place + xshift, y: bottom - 5 - yshift, "text-anchor": anchor, ...halo }, plainText(text)),
    ];
  });
}
