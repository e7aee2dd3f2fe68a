/** Geometry of the map of heads: ranges of the axes, zooming, and which points lie near, in a box or in a lasso. */

/** @typedef {{x: number, y: number}} Spot  in pixels, y down */
/** @typedef {readonly [number, number]} Range  least and most */
/** @typedef {{x: Range, y: Range}} Extent  what is in view */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Box  of the points, in pixels */

/** Room around the outermost points, of the range. */
const MARGIN = 0.06;

/** @param {readonly (number | null)[]} values @returns {Range} */
export function rangeOf(values) {
  const there = /** @type {number[]} */ (values.filter(Number.isFinite));
  if (there.length === 0) return [0, 1];
  const [least, most] = [Math.min(...there), Math.max(...there)];
  const room = (most - least) * MARGIN || 0.5;
  return [least - room, most + room];
}

/**
 * Everything in view; on a map with equal units on both axes the shorter axis shows more.
 * @param {Extent} extent
 * @param {Box} box
 * @returns {Extent}
 */
export function withEqualUnits({ x, y }, { left, right, top, bottom }) {
  const unit = Math.max((x[1] - x[0]) / (right - left), (y[1] - y[0]) / (bottom - top));
  return { x: around(middle(x), unit * (right - left)), y: around(middle(y), unit * (bottom - top)) };
}

/** @param {Range} range */
const middle = ([least, most]) => (least + most) / 2;

/** @param {number} at @param {number} span @returns {Range} */
const around = (at, span) => [at - span / 2, at + span / 2];

/**
 * @param {Extent} extent
 * @param {number} factor  below 1: closer
 * @param {{x: number, y: number} | null} fixed  a place that stays where it is; null: the middle
 * @returns {Extent}
 */
export function zoomed({ x, y }, factor, fixed) {
  const scaled = (/** @type {Range} */ range, /** @type {number} */ at) =>
    /** @type {Range} */ ([at + (range[0] - at) * factor, at + (range[1] - at) * factor]);
  return { x: scaled(x, fixed?.x ?? middle(x)), y: scaled(y, fixed?.y ?? middle(y)) };
}

/**
 * The indices of the spots in a box given by two corners.
 * @param {readonly (Spot | null)[]} spots  null: not in the map
 * @param {Spot} one
 * @param {Spot} other
 */
export function inBox(spots, one, other) {
  const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
  const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
  return indices(spots, ({ x, y }) => x >= left && x <= right && y >= top && y <= bottom);
}

/**
 * The indices of the spots inside a closed line: those from which a ray crosses it an odd number of times.
 * @param {readonly (Spot | null)[]} spots
 * @param {readonly Spot[]} line
 */
export function inLasso(spots, line) {
  return indices(spots, ({ x, y }) => {
    const crossed = line.filter((from, index) => {
      const to = line[(index + 1) % line.length];
      return from.y > y !== to.y > y && x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
    });
    return crossed.length % 2 === 1;
  });
}

/**
 * The spot that an arrow key leads to: the nearest in its direction, where what lies aside counts twice.
 * @param {readonly (Spot | null)[]} spots
 * @param {number} from  index
 * @param {string} key
 * @returns {number | null}  null for another key; `from` where there is none
 */
export function stepTo(spots, from, key) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const start = spots[from];
  if (!way || !start) return null;
  let best = Infinity;
  let found = from;
  spots.forEach((spot, index) => {
    if (!spot || index === from) return;
    const [dx, dy] = [spot.x - start.x, spot.y - start.y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const far = along + 2 * aside;
    if (along <= 0.5 || aside > 2 * along || far >= best) return;
    best = far;
    found = index;
  });
  return found;
}

/** @param {readonly (Spot | null)[]} spots @param {(spot: Spot) => boolean} holds */
function indices(spots, holds) {
  return spots.flatMap((spot, index) => (spot && holds(spot) ? [index] : []));
}
