/** Where a map of heads draws its points and axes: its size, the box between its axes, their scales. */

import { scaleOf } from "../../../charts/axes.js";
import { rangeOf, withEqualUnits } from "../../../charts/scatter/extents.js";

/** @typedef {import("../../../charts/axes.js").Box} Box */
/** @typedef {import("../../../charts/axes.js").Scale} Scale */
/** @typedef {import("../../../charts/scatter/extents.js").Extent} Extent */
/** @typedef {import("../../../charts/scatter/extents.js").Size} Size */
/** @typedef {import("../../../charts/scatter/extents.js").Spot} Spot */
/** @typedef {import("./map_marks.js").HeadMap} HeadMap */

/**
 * @typedef {object} MapLayout
 * @property {Size} size
 * @property {Box} box  of the points
 * @property {Scale} x
 * @property {Scale} y
 * @property {readonly (Spot & {index: number} | null)[]} spots  of the points; null: not in view
 */

/** Height by width. */
const SHAPE = 0.85;
const LEAST_WIDTH = 260;
const EDGE = { left: 46, right: 16, top: 30, bottom: 40 };
/** Where the tools leave no room for the name of the upward axis, it stands below them. */
const [TOOLS, BELOW_TOOLS] = [250, 22];
const PER_NAME_SIGN = 7;
/** Whole numbers that an axis has room for. */
const MOST_TICKS = 16;

/**
 * @param {number} wide  pixels that there are
 * @param {{least: number, most: number}} heights
 * @returns {Size}
 */
export function sizeIn(wide, { least, most }) {
  const width = Math.max(wide, LEAST_WIDTH);
  return { width, height: Math.round(Math.min(Math.max(width * SHAPE, least), most)) };
}

/** Between the axes. @param {HeadMap} map @param {Size} size @returns {Box} */
function boxIn({ y }, { width, height }) {
  const isTight = width < TOOLS + y.name.length * PER_NAME_SIGN;
  const top = EDGE.top + (isTight ? BELOW_TOOLS : 0);
  return { left: EDGE.left, right: width - EDGE.right, top, bottom: height - EDGE.bottom };
}

/** Everything in view. @param {HeadMap} map @param {Size} size @returns {Extent} */
export function wholeMap(map, size) {
  const ends = (/** @type {0 | 1} */ axis) => map.links.map(({ from }) => from[axis]);
  const extent = {
    x: rangeOf([...map.points.map(({ x }) => x), ...ends(0)]),
    y: rangeOf([...map.points.map(({ y }) => y), ...ends(1)]),
  };
  return fitted(map, extent, size);
}

/** With equal units if the map has such. @param {HeadMap} map @param {Extent} extent @param {Size} size @returns {Extent} */
export function fitted(map, extent, size) {
  const { left, right, top, bottom } = boxIn(map, size);
  return map.isPlane ? withEqualUnits(extent, { width: right - left, height: bottom - top }) : extent;
}

/** @param {HeadMap} map @param {Size} size @param {Extent} extent @returns {MapLayout} */
export function layOut(map, size, extent) {
  const box = boxIn(map, size);
  const x = ticked(extent.x, map.x.isWhole, box.left, box.right);
  const y = ticked(extent.y, map.y.isWhole, box.bottom, box.top);
  const spots = map.points.map((point, index) => {
    if (point.x === null || point.y === null) return null;
    const spot = { x: x.place(point.x), y: y.place(point.y), index };
    return isInside(spot, box) ? spot : null;
  });
  return { size, box, x, y, spots };
}

/** @param {Spot} spot @param {Box} box */
export function isInside({ x, y }, { left, right, top, bottom }) {
  return x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
}

/** @param {import("../../../charts/scatter/extents.js").Range} range @param {boolean} isWhole @param {number} from @param {number} to */
function ticked([least, most], isWhole, from, to) {
  const scale = scaleOf({ least, most }, [], from, to);
  return isWhole ? { ...scale, ticks: wholeTicks(scale) } : scale;
}

/** Every whole number where there are few, else some. @param {Scale} scale */
function wholeTicks({ least, most, ticks }) {
  const first = Math.ceil(least);
  const count = Math.floor(most) - first + 1;
  if (count > MOST_TICKS) return ticks.filter(Number.isInteger);
  return Array.from({ length: count }, (_, index) => first + index);
}
