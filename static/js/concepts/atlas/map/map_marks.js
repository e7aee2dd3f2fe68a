/** What a map of heads shows, and what stands on it besides points: names, lines to where heads were, whole ticks. */

import { svg } from "../../../base/dom.js";

/** @typedef {import("./map_geometry.js").Spot} Spot */

/**
 * @typedef {object} HeadPoint
 * @property {number | null} x  null: not in the chart
 * @property {number | null} y
 * @property {string} fill  a colour, or a class that has one
 * @property {number} radius  pixels
 * @property {string} name  short
 * @property {string} says  what is known of it, one line
 *
 * @typedef {object} HeadMap
 * @property {string} of  what the axes are: while it stays, what is zoomed to stays
 * @property {HeadPoint[]} points
 * @property {{name: string, isWhole: boolean}} x
 * @property {{name: string, isWhole: boolean}} y
 * @property {boolean} isPlane  both axes have the same unit
 * @property {number} chosen  index; −1: none
 * @property {readonly number[]} selected  if any, all others are faint
 * @property {{from: readonly [number, number], to: readonly [number, number]}[]} links  arrows
 * @property {string} title
 * @property {string} summary
 * @property {() => import("../../../charts/plots/plot_data.js").NumberTable} numbers
 * @property {() => {least: number, most: number}} heights  of the chart, in pixels, in the window as it is now
 */

/** Whole numbers that an axis has room for. */
const MOST_TICKS = 16;

/**
 * @param {string} name
 * @param {Spot} at
 * @param {(typeof import("../../../charts/plots/scatter_layout.js").SIDES)[number]} side
 * @param {number} radius
 * @param {string} kind
 */
export function label(name, { x, y }, side, radius, kind) {
  const [row, column] = side.split(" ");
  const gap = radius + 3;
  const anchor = { left: "end", center: "middle", right: "start" }[column];
  const dx = { left: -gap, center: 0, right: gap }[column] ?? 0;
  const dy = { top: -gap - 2, middle: 4, bottom: gap + 9 }[row] ?? 0;
  return svg("text", { class: kind, x: x + dx, y: y + dy, "text-anchor": anchor }, name);
}

/** A line that begins at a small dot. @param {Spot} from @param {Spot} to */
export function lineBetween(from, to) {
  return [
    svg("line", { class: "atlas-link", x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
    svg("circle", { class: "atlas-link-start", cx: from.x, cy: from.y, r: 2.5 }),
  ];
}

/** Every whole number where there are few, else some. @param {import("../../../charts/axes.js").Scale} scale */
export function wholeTicks({ least, most, ticks }) {
  const first = Math.ceil(least);
  const count = Math.floor(most) - first + 1;
  if (count > MOST_TICKS) return ticks.filter(Number.isInteger);
  return Array.from({ length: count }, (_, index) => first + index);
}
