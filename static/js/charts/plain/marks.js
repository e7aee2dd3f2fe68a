/** Curves, dots and bars of the charts in saved files, as SVG. */

import { svg } from "../../base/dom.js";

/**
 * @typedef {object} Trace
 * @property {string} type
 * @property {string} name
 * @property {string} [mode]
 * @property {readonly number[]} x
 * @property {readonly number[]} y
 * @property {readonly string[]} text
 * @property {string} textposition
 * @property {boolean} visible
 * @property {readonly number[]} [width]
 * @property {{color: string}} [marker]
 * @property {{color: string, width: number, dash: string, shape: string}} [line]
 * @property {string} [fillcolor]
 */

/** Between groups of bars, as a share of their distance. */
const GAP = 0.2;

/**
 * @param {Trace} trace
 * @param {import("../axes.js").Scale} x
 * @param {import("../axes.js").Scale} y
 * @param {Trace[]} bars
 * @returns {SVGElement[]}
 */
export function marksOf(trace, x, y, bars) {
  if (trace.type === "bar") {
    return barsOf(trace, x, y, bars).map((bar) => svg("rect", { ...bar, fill: trace.marker?.color ?? "" }));
  }
  const points = [...trace.x].map((px, index) => [x.place(px), y.place(trace.y[index])]);
  if (trace.mode === "markers") {
    const seen = points.filter((point) => point.every(Number.isFinite));
    return seen.map(([cx, cy]) => svg("circle", { cx, cy, r: 3, fill: trace.marker?.color ?? "" }));
  }
  const { color, width, dash, shape } = /** @type {NonNullable<Trace["line"]>} */ (trace.line);
  const path = shape === "hvh" ? stepped(points) : points;
  const d = path
    .map(([px, py], index) => {
      if (![px, py].every(Number.isFinite)) return "";
      const isFirst = index === 0 || !path[index - 1].every(Number.isFinite);
      return `${isFirst ? "M" : "L"}${px.toFixed(2)} ${py.toFixed(2)}`;
    })
    .join("");
  const area =
    trace.fillcolor && path.length > 0
      ? `${d}L${path[path.length - 1][0]} ${y.place(0)}L${path[0][0]} ${y.place(0)}Z`
      : "";
  return [
    ...(area ? [svg("path", { d: area, fill: trace.fillcolor ?? "" })] : []),
    svg("path", {
      d,
      fill: "none",
      stroke: color,
      "stroke-width": width,
      "stroke-linejoin": "round",
      "stroke-dasharray": dash === "solid" ? null : dash,
    }),
  ];
}

/** Half way between neighbours each steps up or down. @param {number[][]} points */
function stepped(points) {
  return points.flatMap(([px, py], index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    return [before ? [(before[0] + px) / 2, py] : [px, py], after ? [(px + after[0]) / 2, py] : [px, py]];
  });
}

/**
 * Bars of one trace, beside those of the others.
 * @param {Trace} trace
 * @param {import("../axes.js").Scale} x
 * @param {import("../axes.js").Scale} y
 * @param {Trace[]} bars
 */
function barsOf(trace, x, y, bars) {
  const apart = [...trace.x].slice(1).map((value, index) => value - trace.x[index]);
  const slot = apart.length > 0 ? Math.min(...apart) : 1;
  const [share, first] = trace.width ? [1, 0] : [(1 - GAP) / bars.length, bars.indexOf(trace)];
  return [...trace.x].map((middle, index) => {
    const width = trace.width?.[index] ?? slot * share;
    const left = trace.width ? middle - width / 2 : middle - (slot * (1 - GAP)) / 2 + first * width;
    const value = Number.isFinite(trace.y[index]) ? trace.y[index] : y.least;
    const [low, high] = [0, value].map((value) => y.place(Math.min(Math.max(value, y.least), y.most)));
    return {
      x: x.place(left),
      width: x.place(left + width) - x.place(left),
      y: Math.min(low, high),
      height: Math.abs(low - high) || 0,
    };
  });
}

/**
 * @param {Trace} trace
 * @param {import("../axes.js").Scale} x
 * @param {import("../axes.js").Scale} y
 * @param {Trace[]} bars
 */
export function valuesOf(trace, x, y, bars) {
  return barsOf(trace, x, y, bars).map((bar, index) =>
    svg("text", { x: bar.x + bar.width / 2, y: bar.y - 4, "text-anchor": "middle" }, plainText(trace.text[index])),
  );
}

/** Without the tags and entities that Plotly's texts have. @param {string} text */
export function plainText(text) {
  return text
    .replace(/<\/?[a-z]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
