/** Histograms over one axis: how often values fall between edges, several distributions as outlines. */

import { el, fill, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { axes, fittedView, readout, scaleOf } from "./axes.js";

/**
 * @typedef {object} Counted
 * @property {string} name
 * @property {readonly number[]} edges  one more than counts
 * @property {readonly number[]} counts
 * @property {number} [colour]  of the series colours 0…7
 */

/**
 * @typedef {object} HistogramMark
 * @property {string} title
 * @property {Counted[]} series
 * @property {import("./axes.js").Axis} x
 * @property {{x: number, name: string}[]} [verticals]
 * @property {number} [height]
 */

const EDGE = { left: 48, right: 12, top: 26, bottom: 38 };

/**
 * Heights are densities (share of all values ÷ width of the bin), so that distributions of any width compare.
 * @param {HTMLElement} element
 * @param {HistogramMark} data
 * @returns {import("../base/mount.js").View<HistogramMark>}
 */
export function histogramMark(element, data) {
  const picture = svg("svg", { class: "mark histogram-mark", role: "img" });
  const legend = el("p", { class: "mark-legend" });
  fill(element, el("div", { class: "mark-box" }, picture, legend));

  /** @param {HistogramMark} next @param {number} width */
  function draw(next, width) {
    const height = next.height ?? 220;
    const box = { left: EDGE.left, right: width - EDGE.right, top: EDGE.top, bottom: height - EDGE.bottom };
    const densities = next.series.map(densityOf);
    const x = scaleOf(
      next.x,
      next.series.flatMap((one) => [...one.edges]),
      box.left,
      box.right,
    );
    const most = Math.max(...densities.flat(), 1e-12);
    const y = scaleOf({ least: 0, most }, [], box.bottom, box.top);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("aria-label", `${next.title}. ${next.series.map(described).join("; ")}`);
    fill(
      picture,
      ...axes(box, x, y, { x: next.x.name, y: t("density") }),
      ...next.series.map((one, index) => outline(one, densities[index], index, x, y)),
      ...(next.verticals ?? []).flatMap(({ x: value, name }) => {
        if (value < x.least || value > x.most) return [];
        const left = x.place(value);
        return [
          svg("line", { class: "mark-vertical", x1: left, x2: left, y1: box.top, y2: box.bottom }),
          svg("text", { class: "mark-vertical-name", x: left + 4, y: box.top + 8 }, name),
        ];
      }),
    );
    fill(legend, ...next.series.map(entry));
    legend.hidden = next.series.length < 2;
  }

  return fittedView(element, data, draw);
}

/** @param {Counted} series @returns {number[]} */
function densityOf({ edges, counts }) {
  const total = counts.reduce((sum, one) => sum + one, 0);
  return counts.map((count, index) => (total === 0 ? 0 : count / total / (edges[index + 1] - edges[index])));
}

/**
 * @param {Counted} series
 * @param {number[]} density
 * @param {number} index
 * @param {import("./axes.js").Scale} x
 * @param {import("./axes.js").Scale} y
 */
function outline({ edges, colour }, density, index, x, y) {
  const within = (/** @type {number} */ edge) => x.place(Math.min(Math.max(edge, x.least), x.most)).toFixed(2);
  const steps = density.map((one, at) => `V${y.place(one).toFixed(2)}H${within(edges[at + 1])}`);
  const floor = y.place(0).toFixed(2);
  const style = `series-${(colour ?? index) % 8}`;
  return svg("path", { class: `mark-area ${style}`, d: `M${within(edges[0])} ${floor}${steps.join("")}V${floor}Z` });
}

/** @param {Counted} series */
function described({ name, edges, counts }) {
  const fullest = counts.indexOf(Math.max(...counts));
  return t("{name}: from {least} to {most}, most often near {mode}", {
    name,
    least: readout(edges[0]),
    most: readout(edges[edges.length - 1]),
    mode: readout((edges[fullest] + edges[fullest + 1]) / 2),
  });
}

/** @param {Counted} series @param {number} index */
function entry({ name, colour }, index) {
  const area = svg("path", { class: `mark-area series-${(colour ?? index) % 8}`, d: "M1 9V1H21V9Z" });
  const key = svg(
    "svg",
    { class: "mark-key", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" },
    area,
  );
  return el("span", { class: "mark-entry" }, key, name);
}
