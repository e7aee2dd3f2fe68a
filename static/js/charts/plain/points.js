/** The points of a scatter plot in saved files, their names and what stands out among them, as SVG. */

import { fill, svg } from "../../base/dom.js";
import { besideSpot } from "../scatter/names.js";
import { plainText } from "./marks.js";
import { boxOf, nameAbove, pictureWith, rectOf, scale } from "./parts.js";

/** @typedef {import("../axes.js").Box} Box */
/** @typedef {import("../axes.js").Scale} Scale */
/** @typedef {import("./parts.js").Ground} Ground */

/**
 * @typedef {object} Points  a trace
 * @property {boolean} visible
 * @property {readonly number[]} x
 * @property {readonly number[]} y
 * @property {readonly string[]} text  "" for a point without a name
 * @property {readonly (typeof import("../scatter/names.js").SIDES)[number][]} textposition
 * @property {{color: string}} textfont
 * @property {readonly string[]} [hovertext]
 * @property {string} [hoverinfo]
 * @property {{symbol: string, size: number, color: string, opacity?: number, line: {color: string, width: number}}} marker
 * @property {readonly number[] | null} selectedpoints
 * @property {{marker: {opacity: number}}} unselected
 *
 * @typedef {{type: "line", name: string, opacity: number, x0: number, y0: number, x1: number, y1: number, line: {width: number, color: string, dash: string}}} Line
 * @typedef {{type: "path", name: string, layer?: string, path: string, xanchor: number, yanchor: number, fillcolor?: string, line: {width: number, color: string}}} Mark  in pixels around a point
 * @typedef {{text: string, xref?: string, x: number, y: number, xshift: number, yshift: number, font: {color: string}, bgcolor: string}} Name
 * @typedef {Ground & {hoverdistance: number, dragmode: string | false, newselection: {line: {color: string, dash: string}}, shapes: (Line | Mark)[], annotations: Name[], xaxis: {zerolinecolor: string}}} Layout
 */

/** Plotly draws a square on its corner wider than its size. */
const DIAMOND = 1.3;
/** Between the middle of a mark and its name. */
const nameGap = (/** @type {number} */ size) => size / 2 / 0.8 + 1;
/** From the edge of a name's place, or its middle, down to the base of its text. */
const TEXT = { above: -3, middle: 4, below: 11 };

/**
 * @param {Points[]} traces
 * @param {Layout} layout
 * @param {string} ground
 */
export function pictureOf(traces, layout, ground) {
  const box = boxOf(layout);
  const x = scale(layout.xaxis, layout.xaxis.range, box.left, box.right);
  const y = scale(layout.yaxis, layout.yaxis.range, box.bottom, box.top);
  const clip = `plain-${Math.random().toString(36).slice(2)}`;
  const clipped = { "clip-path": `url(#${clip})` };
  const layers = {
    below: svg("g", clipped),
    points: svg("g", { class: "scatterlayer", ...clipped }),
    above: svg("g", clipped),
    names: svg("g"),
    dragged: svg("path", { fill: layout.newselection.line.color, "fill-opacity": 0.08 }),
  };
  layers.points.append(...traces.filter(({ visible }) => visible).map((trace) => pointsOf(trace, x, y)));
  const picture = pictureWith(
    layout,
    { x, y, ground },
    svg("clipPath", { id: clip }, svg("rect", rectOf(box))),
    ...zeroLines(layout, box, x, y),
    layers.below,
    layers.points,
    layers.above,
    layers.names,
    layers.dragged,
    svg("rect", { class: "nsewdrag", ...rectOf(box), fill: "none", "pointer-events": "all" }),
  );
  return { picture, box, x, y, layers };
}

/** @param {Layout} layout @param {Box} box @param {Scale} x @param {Scale} y */
function zeroLines({ xaxis }, { left, right, top, bottom }, x, y) {
  const stroke = xaxis.zerolinecolor;
  const isWithin = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ to) =>
    value > from && value < to;
  return [
    ...(isWithin(x.place(0), left, right)
      ? [svg("line", { stroke, x1: x.place(0), x2: x.place(0), y1: top, y2: bottom })]
      : []),
    ...(isWithin(y.place(0), top, bottom)
      ? [svg("line", { stroke, x1: left, x2: right, y1: y.place(0), y2: y.place(0) })]
      : []),
  ];
}

/**
 * The points of a series, and the names beside some of them.
 * @param {Points} trace
 * @param {Scale} x
 * @param {Scale} y
 */
function pointsOf({ marker, text, textposition, textfont, selectedpoints, unselected, ...trace }, x, y) {
  const own = { fill: marker.color, stroke: marker.line.color, "stroke-width": marker.line.width };
  const marks = [...trace.x].map((value, index) => {
    const [cx, cy] = [x.place(value), y.place(trace.y[index])];
    const isFaint = selectedpoints !== null && !selectedpoints.includes(index);
    const opacity = isFaint ? unselected.marker.opacity : selectedpoints ? 1 : (marker.opacity ?? 1);
    const mark = svg("path", { class: "point", d: markPath(marker, cx, cy), ...own });
    if (!text[index]) return svg("g", { opacity }, mark);
    const says = { fill: textfont.color, "font-weight": text[index].startsWith("<b>") ? "bold" : null };
    const spot = besideSpot({ x: cx, y: cy }, textposition[index], nameGap(marker.size), TEXT);
    return svg("g", { opacity }, mark, svg("text", { ...spot, ...says }, plainText(text[index])));
  });
  return svg("g", { class: "trace" }, ...marks);
}

/** @param {Points["marker"]} marker @param {number} x @param {number} y */
function markPath({ symbol, size }, x, y) {
  const r = (size / 2) * (symbol === "diamond" ? DIAMOND : 1);
  return symbol === "diamond"
    ? `M${x - r} ${y}L${x} ${y - r}L${x + r} ${y}L${x} ${y + r}Z`
    : `M${x - r} ${y}A${r},${r} 0 1 1 ${x + r} ${y}A${r},${r} 0 1 1 ${x - r} ${y}Z`;
}

/**
 * What follows the pointer: lines between points, marks around them, and names of what is pointed at elsewhere.
 * @param {ReturnType<typeof pictureOf>} drawing
 * @param {Layout} layout
 */
export function drawOverlay({ layers, box, x, y }, { shapes, annotations }) {
  const drawnShapes = shapes.map((shape) => ({ shape, element: shapeOf(shape, x, y) }));
  const isBelow = (/** @type {Line | Mark} */ shape) => shape.type === "line" || shape.layer === "below";
  fill(layers.below, ...drawnShapes.filter(({ shape }) => isBelow(shape)).map(({ element }) => element));
  const names = annotations.map((name) => {
    if (name.xref === "paper") return nameAbove(name, box);
    const halo = { stroke: name.bgcolor, "stroke-width": 4, "paint-order": "stroke" };
    const spot = { x: x.place(name.x), y: y.place(name.y) - name.yshift + TEXT.above, "text-anchor": "middle" };
    return svg("text", { ...spot, ...halo, fill: name.font.color, "font-weight": "bold" }, plainText(name.text));
  });
  fill(layers.above, ...drawnShapes.filter(({ shape }) => !isBelow(shape)).map(({ element }) => element));
  fill(layers.names, ...names);
}

/** @param {Line | Mark} shape @param {Scale} x @param {Scale} y */
function shapeOf(shape, x, y) {
  const { width, color } = shape.line;
  const line = { class: `shape is-${shape.name}`, stroke: color, "stroke-width": width };
  if (shape.type === "line") {
    const ends = { x1: x.place(shape.x0), y1: y.place(shape.y0), x2: x.place(shape.x1), y2: y.place(shape.y1) };
    const dash = shape.line.dash === "solid" ? null : shape.line.dash;
    return svg("line", { ...line, ...ends, opacity: shape.opacity, "stroke-dasharray": dash });
  }
  // Their pixels count upward.
  const transform = `translate(${x.place(shape.xanchor)} ${y.place(shape.yanchor)}) scale(1 -1)`;
  return svg("path", { ...line, d: shape.path, transform, fill: shape.fillcolor ?? "none" });
}
