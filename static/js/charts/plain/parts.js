/** What charts drawn as plain SVG have in common: the ground, axes, a label at the pointer, and their files. */

import { svg } from "../../base/dom.js";
import { download, pngFile, svgFile } from "../../base/picture_files.js";
import { scaleOf, short } from "../axes.js";
import { plainText } from "./marks.js";

/** @typedef {import("../axes.js").Box} Box */
/** @typedef {import("../axes.js").Scale} Scale */
/** @typedef {import("../plots/plot_drawing.js").DrawnAxis} DrawnAxis */
/**
 * @typedef {{type?: string, range: [number, number], tickvals?: number[], ticktext?: string[], tickangle?: number, linecolor: string, gridcolor?: string, title?: {text: string}, unifiedhovertitle?: {text: string}}} LayoutAxis
 * @typedef {{family: string, size: number, color: string}} Font
 * @typedef {{bgcolor: string, bordercolor: string, font: Font}} Label
 * @typedef {object} Ground  of a layout, as `groundOf` makes it
 * @property {number} width
 * @property {number} height
 * @property {{l: number, r: number, t: number, b: number}} margin
 * @property {Font} font
 * @property {Label} hoverlabel
 * @property {string} plot_bgcolor
 * @property {LayoutAxis} xaxis
 * @property {LayoutAxis} yaxis
 */

/** Between lines of a label, between its text and its edge, and between it and what it is about, in pixels. */
const LABEL = { line: 16, edge: 6, away: 10 };

/**
 * The part of a chart between its axes.
 * @param {Ground} layout
 * @returns {Box}
 */
export function boxOf({ width, height, margin }) {
  // A place that is not shown yet has no size.
  return {
    left: margin.l,
    right: Math.max(width - margin.r, margin.l + 1),
    top: margin.t,
    bottom: Math.max(height - margin.b, margin.t + 1),
  };
}

/**
 * An SVG of the chart's size and type, with its ground and axes behind what else is in it.
 * @param {Ground} layout
 * @param {{x: Scale, y: Scale, ground: string}} drawn
 * @param {...SVGElement} children
 */
export function pictureWith(layout, { x, y, ground }, ...children) {
  const { width, height, font } = layout;
  const box = boxOf(layout);
  const attributes = { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" };
  return svg(
    "svg",
    {
      class: "main-svg",
      xmlns: "http://www.w3.org/2000/svg",
      ...attributes,
      "font-family": font.family,
      "font-size": font.size,
      fill: font.color,
    },
    svg("rect", { width, height, fill: ground }),
    svg("rect", { ...rectOf(box), fill: layout.plot_bgcolor }),
    ...axesOf(layout, box, x, y),
    ...children,
  );
}

/**
 * What a chart tells of its axes, as Plotly does.
 * @param {Box} box
 * @param {import("../plots/plot_drawing.js").DrawnAxis["range"]} x  that is shown
 * @param {import("../plots/plot_drawing.js").DrawnAxis["range"]} y
 * @returns {{xaxis: DrawnAxis, yaxis: DrawnAxis}}
 */
export function drawnAxes({ left, right, top, bottom }, x, y) {
  return {
    xaxis: { range: x, _offset: left, _length: right - left },
    yaxis: { range: y, _offset: top, _length: bottom - top },
  };
}

/** @param {Box} box @param {number} [more] */
export function rectOf({ left, right, top, bottom }, more = 0) {
  return {
    x: left - more,
    y: top - more,
    width: Math.max(right - left + 2 * more, 0),
    height: Math.max(bottom - top + 2 * more, 0),
  };
}

/** @param {LayoutAxis} axis @param {[number, number]} range @param {number} from @param {number} to */
export function scale({ type, tickvals }, range, from, to) {
  const log = type === "log";
  const [least, most] = log ? range.map((exponent) => 10 ** exponent) : range;
  return scaleOf({ least, most, log, ...(tickvals && { ticks: tickvals }) }, [], from, to);
}

/**
 * Lines, numbers and names of both axes.
 * @param {Ground} layout
 * @param {Box} box
 * @param {Scale} x
 * @param {Scale} y
 */
function axesOf({ xaxis, yaxis }, { left, right, bottom }, x, y) {
  const says = (/** @type {LayoutAxis} */ axis, /** @type {number} */ tick) =>
    axis.ticktext?.[axis.tickvals?.indexOf(tick) ?? -1] ?? short(tick);
  const upright = (/** @type {number} */ x) =>
    xaxis.tickangle === -90
      ? { transform: `rotate(-90 ${x} ${bottom + 8})`, x, y: bottom + 12, "text-anchor": "end" }
      : { x, y: bottom + 17, "text-anchor": "middle" };
  const grid = { stroke: yaxis.gridcolor, "stroke-width": 0.5, x1: left, x2: right };
  return [
    ...y.ticks
      .filter((tick) => isIn(y, tick))
      .flatMap((tick) => [
        ...(yaxis.gridcolor ? [svg("line", { ...grid, y1: y.place(tick), y2: y.place(tick) })] : []),
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
      { class: "xtitle", x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle", "font-style": "italic" },
      plainText(xaxis.title?.text ?? ""),
    ),
  ];
}

/** @param {Scale} scale @param {number} value */
export function isIn({ least, most }, value) {
  return value >= Math.min(least, most) && value <= Math.max(least, most);
}

/**
 * The name of the y axis, which stands above it.
 * @param {{text: string, xshift: number, yshift: number}} note  as `nameOf` makes it
 * @param {Box} box
 */
export function nameAbove({ text, xshift, yshift }, { left, top }) {
  const corner = { x: left + xshift, y: top - yshift };
  return svg("text", { class: "annotation-text", ...corner, "font-style": "italic" }, plainText(text));
}

/**
 * A label beside a point of the chart, within the picture; the first line stands out.
 * @param {SVGElement} picture  which it is put into, since a text has no width before
 * @param {readonly string[]} lines
 * @param {{x: number, y: number}} spot
 * @param {Ground} layout
 */
export function addLabel(picture, lines, spot, { width, height, hoverlabel }) {
  const { line, edge, away } = LABEL;
  const texts = lines.map((text, index) => {
    const weight = index === 0 ? "bold" : "normal";
    return svg("text", { x: edge, y: edge + 12 + index * line, "font-weight": weight }, plainText(text));
  });
  const ground = svg("rect", { rx: 2, fill: hoverlabel.bgcolor, stroke: hoverlabel.bordercolor });
  const attributes = { class: "hoverlayer", fill: hoverlabel.font.color, "pointer-events": "none" };
  const label = svg("g", attributes, ground, ...texts);
  picture.append(label);
  const size = {
    width: Math.max(...texts.map((text) => text.getComputedTextLength())) + 2 * edge,
    height: lines.length * line + 2 * edge - 3,
  };
  for (const [name, value] of Object.entries(size)) ground.setAttribute(name, String(value));
  const right = spot.x + away;
  const left = right + size.width <= width ? right : Math.max(0, spot.x - away - size.width);
  const top = Math.min(Math.max(0, spot.y - size.height / 2), Math.max(0, height - size.height));
  label.setAttribute("transform", `translate(${left} ${top})`);
  return label;
}

/**
 * Downloads a chart with its title above it.
 * @param {SVGSVGElement} picture
 * @param {{width: number, title: string, format: string}} file
 */
export async function downloadTitled(picture, { width, title, format }) {
  picture.append(svg("text", { x: width / 2, y: 24, "text-anchor": "middle", "font-size": 17 }, title));
  download(format === "svg" ? svgFile(picture) : await pngFile(picture), `${title}.${format}`);
}
