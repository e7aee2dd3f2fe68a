/** What a map of heads shows, as SVG: points, lines to where heads were, and marks of what is chosen or pointed at. */

import { svg } from "../../../base/dom.js";
import { besideSpot } from "../../../charts/scatter/names.js";
import { isInside } from "./map_layout.js";

/** @typedef {import("../../../charts/scatter/extents.js").Spot} Spot */
/** @typedef {import("./map_layout.js").MapLayout} MapLayout */

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

/** Rings are wider than their points, and the name of what is pointed at stands beside its ring, in pixels. */
const RING = { chosen: 4, pointed: 3 };
/** Where the right edge leaves no room for a name. */
const NAME_ROOM = 60;
/** Between a mark and its name, and from there down to the base of the text. */
const NAME = { gap: 3, lines: { above: -2, middle: 4, below: 9 } };

/**
 * @param {string} name
 * @param {Spot} spot
 * @param {(typeof import("../../../charts/scatter/names.js").SIDES)[number]} side
 * @param {number} radius
 * @param {string} kind
 */
export function label(name, spot, side, radius, kind) {
  return svg("text", { class: kind, ...besideSpot(spot, side, radius + NAME.gap, NAME.lines) }, name);
}

/** Lines from where heads were, each beginning at a small dot. @param {HeadMap} map @param {MapLayout} layout */
export function linksOf({ links }, { x, y, box }) {
  const spot = (/** @type {readonly [number, number]} */ [px, py]) => ({ x: x.place(px), y: y.place(py) });
  const ends = links.map((link) => [spot(link.from), spot(link.to)]);
  return ends
    .filter((both) => both.every((end) => isInside(end, box)))
    .flatMap(([from, to]) => [
      svg("line", { class: "atlas-link", x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
      svg("circle", { class: "atlas-link-start", cx: from.x, cy: from.y, r: 2.5 }),
    ]);
}

/** The points, the largest at the bottom. @param {HeadMap} map @param {MapLayout} layout */
export function dotsOf({ points, selected: heads, chosen }, { spots }) {
  const selected = new Set(heads);
  return spots
    .filter((spot) => spot !== null)
    .sort((a, b) => points[b.index].radius - points[a.index].radius)
    .map(({ x: cx, y: cy, index }) => {
      const { fill: colour, radius: r } = points[index];
      const isFaint = selected.size > 0 && !selected.has(index) && index !== chosen;
      const look = colour.startsWith("series-") ? { class: colour } : { fill: colour };
      const kind = `atlas-dot${isFaint ? " is-faint" : ""} ${look.class ?? ""}`.trim();
      return svg("circle", { ...look, class: kind, cx, cy, r });
    });
}

/** Rings around what is chosen and pointed at, whose name is there too. @param {HeadMap} map @param {MapLayout} layout @param {number} pointed */
export function marksOf({ points, chosen }, { spots, size }, pointed) {
  const ring = (/** @type {number} */ index, /** @type {string} */ kind, /** @type {number} */ more) => {
    const spot = spots[index];
    return spot ? [svg("circle", { class: kind, cx: spot.x, cy: spot.y, r: points[index].radius + more })] : [];
  };
  const rings = [...ring(chosen, "atlas-ring is-chosen", RING.chosen), ...ring(pointed, "atlas-ring", RING.pointed)];
  const spot = spots[pointed];
  if (!spot || pointed === chosen) return rings;
  const { name, radius } = points[pointed];
  const side = spot.x > size.width - NAME_ROOM ? "middle left" : "middle right";
  return [...rings, label(name, spot, side, radius + RING.pointed, "atlas-name is-pointed")];
}
