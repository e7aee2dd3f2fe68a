/** Counts over a numeric axis as a small chart: bars between edges, a line at the mean, numbers on hover. */

import { scaleOf, short } from "../../../charts/axes.js";
import { fill, svg } from "../../../base/dom.js";

/**
 * @typedef {object} Bins
 * @property {string} title  all that a screen reader is told
 * @property {readonly number[]} edges  one more than there are bars
 * @property {readonly number[]} heights  of the bars
 * @property {readonly string[]} says  of each bar
 * @property {number | null} mean  marked by a line
 * @property {string} [meanSays]  beside it
 * @property {number} height  pixels
 * @property {number} [width]  in pixels, roughly
 * @property {readonly number[]} [ticks]
 * @property {(value: number) => string} [tickSays]
 * @property {number | null} [marked]  bar
 */

/** Pixels, roughly, of one of several charts side by side. */
const SMALL = 260;
const BELOW = 16;
/** Bins of one width differ by rounding alone. */
const UNEVEN = 2;

/**
 * A histogram's bins as they are drawn: without empty ones at the ends of a range whose bins grow, each as wide as the
 * others, so that small values are seen beside large ones.
 * @param {readonly number[]} edges
 * @param {readonly number[]} counts
 * @returns {{first: number, last: number, isEven: boolean}}  the first and the last that is drawn
 */
export function drawnBins(edges, counts) {
  const widths = counts.map((_, index) => edges[index + 1] - edges[index]);
  const isEven = Math.max(...widths) < UNEVEN * Math.min(...widths);
  const there = counts.flatMap((count, index) => (count > 0 ? [index] : []));
  if (isEven || there.length === 0) return { first: 0, last: counts.length - 1, isEven };
  return { first: there[0], last: there[there.length - 1], isEven };
}

/** @param {Bins} bins @returns {SVGSVGElement} */
export function binsChart({
  title,
  edges,
  heights,
  says,
  mean,
  meanSays = "",
  height,
  ticks,
  tickSays = short,
  marked = null,
  width = SMALL,
}) {
  const x = scaleOf({ least: edges[0], most: edges[edges.length - 1] }, [], 4, width - 4);
  const bottom = height - BELOW;
  const most = Math.max(...heights, 1e-12);
  const y = scaleOf({ least: 0, most }, [], bottom, 6);
  const bars = heights.map((value, index) => {
    const [left, right] = [x.place(edges[index]), x.place(edges[index + 1])];
    const top = value > 0 ? Math.min(y.place(value), bottom - 1) : bottom;
    const gap = right - left > 3 ? 0.5 : 0;
    const box = { x: left + gap, y: top, width: Math.max(right - left - 2 * gap, 0.5), height: bottom - top };
    // The whole column answers to the pointer, as low bars are hard to hit.
    const column = svg("rect", { class: "atlas-column", x: left, y: 0, width: right - left, height: bottom });
    const kind = `mark-bar ${marked === index ? "series-1" : "series-0"}`;
    return svg("g", {}, svg("title", {}, says[index]), column, svg("rect", { class: kind, ...box }));
  });
  const numbers = (ticks ?? [edges[0], (edges[0] + edges[edges.length - 1]) / 2, edges[edges.length - 1]]).map(
    (tick, index, ticksShown) => {
      const anchor = index === 0 ? "start" : index === ticksShown.length - 1 ? "end" : "middle";
      return svg(
        "text",
        { class: "atlas-tick", x: x.place(tick), y: height - 3, "text-anchor": anchor },
        tickSays(tick),
      );
    },
  );
  const line =
    mean !== null && mean >= x.least && mean <= x.most ? [meanLine(x.place(mean), bottom, meanSays, width)] : [];
  const axis = svg("line", { class: "mark-axis", x1: 4, x2: width - 4, y1: bottom, y2: bottom });
  const picture = svg("svg", {
    class: "mark atlas-bins",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": title,
  });
  fill(picture, axis, ...bars, ...line, ...numbers);
  return picture;
}

/** @param {number} x @param {number} bottom @param {string} says @param {number} width */
function meanLine(x, bottom, says, width) {
  const isRight = x > width * 0.7;
  return svg(
    "g",
    { class: "atlas-mean" },
    svg("line", { x1: x, x2: x, y1: 2, y2: bottom }),
    svg("text", { x: x + (isRight ? -4 : 4), y: 12, "text-anchor": isRight ? "end" : "start" }, says),
  );
}
