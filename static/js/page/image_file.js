/** Image export: an SVG with its own styles. */

import { plainColor } from "../base/theme/color.js";
import { svg } from "../base/dom.js";
import { drawNow } from "../charts/late_drawing.js";

/** Style properties to copy into an exported SVG. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "visibility",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
  "stroke-linejoin",
  "r",
];
/** What is drawn, unlike titles and definitions. */
const DRAWN = "g, rect, path, line, circle, text, image";
const TAKEN_OFF = ["class", "tabindex", "role", "aria-label", "aria-valuemin", "aria-valuemax", "aria-valuenow"];
const EDGE = 16;
const LEGEND_LINE = 18;
const LEGEND_TYPE = 12;
/** The longest side of each picture. */
const HIGH = 560;
const SLIDE = 16 / 9;

/**
 * A chart of the page as an SVG that needs no style sheet: a mark, or a chart drawn by Plotly with its legend.
 * @param {Element} chart
 * @returns {Promise<SVGSVGElement>}
 */
export async function copyOf(chart) {
  if (chart instanceof SVGSVGElement) return styledCopy(chart);
  await drawNow([chart]);
  return plotCopy(chart);
}

/**
 * Several SVGs on the page's background, as one without style sheets.
 * @param {SVGSVGElement[]} copies  each without style sheets, with a view box
 * @param {string} title
 * @returns {SVGSVGElement}
 */
export function standalone(copies, title) {
  const { places, width, height } = arranged(copies.map((copy) => copy.viewBox.baseVal));
  copies.forEach((copy, index) => {
    for (const [name, value] of Object.entries(places[index])) copy.setAttribute(name, String(value));
  });
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", {}, title),
    svg("rect", { width, height, fill: ground }),
    ...copies,
  );
}

/**
 * Pictures in rows, in their order: as many in each as brings the whole closest to a slide's shape. Those of a row stand
 * on one middle.
 * @param {readonly {width: number, height: number}[]} sizes
 * @returns {{places: {x: number, y: number, width: number, height: number}[], width: number, height: number}}
 */
export function arranged(sizes) {
  const fitting = sizes.map(({ width, height }) => fitted(width, height));
  const tried = fitting.map((_, last) => inRows(fitting, last + 1));
  return tried.reduce((best, layout) => (offShape(layout) < offShape(best) ? layout : best), inRows(fitting, 1));
}

/** @param {{width: number, height: number}} whole */
function offShape({ width, height }) {
  return Math.abs(Math.log(width / height / SLIDE));
}

/**
 * @param {[number, number][]} sizes
 * @param {number} across  most in a row
 */
function inRows(sizes, across) {
  const places = [];
  let [y, right] = [EDGE, 0];
  for (let first = 0; first < sizes.length; first += across) {
    const row = sizes.slice(first, first + across);
    const high = Math.max(...row.map(([, height]) => height));
    let x = EDGE;
    for (const [width, height] of row) {
      places.push({ x, y: y + (high - height) / 2, width, height });
      x += width + EDGE;
    }
    right = Math.max(right, x);
    y += high + EDGE;
  }
  return { places, width: right, height: y };
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {[number, number]}
 */
function fitted(width, height) {
  const share = Math.min(HIGH / height, HIGH / width);
  return [width * share, height * share];
}

/**
 * Plotly draws a chart as several SVGs, one upon the other; the legend's entries go below them.
 * @param {Element} plot
 */
function plotCopy(plot) {
  const layers = [.../** @type {NodeListOf<SVGSVGElement>} */ (plot.querySelectorAll(".main-svg"))];
  const [width, height] = ["width", "height"].map((name) => Number(layers[0]?.getAttribute(name) ?? 0));
  const shown = [...plot.querySelectorAll(".plot-legend:not([hidden]) [aria-pressed=true]")];
  const legend = shown.map((entry, index) => {
    const y = height + index * LEGEND_LINE;
    const sample = styledCopy(/** @type {SVGSVGElement} */ (entry.querySelector("svg")));
    for (const [name, value] of Object.entries({ x: 4, y })) sample.setAttribute(name, String(value));
    const { color: fill, fontFamily } = getComputedStyle(entry);
    const type = { fill, "font-family": fontFamily, "font-size": LEGEND_TYPE };
    return svg("g", {}, sample, svg("text", { x: 34, y: y + 9, ...type }, entry.textContent));
  });
  const box = `0 0 ${width} ${height + legend.length * LEGEND_LINE}`;
  return svg("svg", { viewBox: box }, ...layers.map(styledCopy), ...legend);
}

/**
 * An SVG that needs no style sheet, without what the page hides, such as the mark of the keyboard.
 * @param {SVGSVGElement} picture  as it stands in the page
 * @returns {SVGSVGElement}
 */
export function styledCopy(picture) {
  const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    if (style.display === "none" && element.matches(DRAWN)) return element.remove();
    for (const name of STYLES) element.setAttribute(name, plainColor(style.getPropertyValue(name)));
    for (const name of [...TAKEN_OFF, ...element.getAttributeNames().filter((name) => name.startsWith("data-"))]) {
      element.removeAttribute(name);
    }
  });
  return copy;
}
