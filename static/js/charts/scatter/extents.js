/** What a scatter has in view: the ranges of both axes, whole or zoomed, and where a point then stands. */

/** @typedef {readonly [number, number]} Pair */
/** @typedef {readonly [number, number]} Range  least and most */
/** @typedef {{x: Range, y: Range}} Extent  what is in view */
/** @typedef {{x: number, y: number}} Spot  in pixels, y down */
/** @typedef {{width: number, height: number}} Size  of the part that holds the points, in pixels */

/** Room around the outermost points, of the range. */
const MARGIN = 0.06;
/** Room around the outermost points of a plane with equal units, in pixels. */
const EDGE = { x: 44, y: 30 };
const HEIGHT = { least: 260, most: 460 };

/** @param {Range} range */
const middle = ([least, most]) => (least + most) / 2;

/** @param {Range} range */
const spanOf = ([least, most]) => most - least;

/** @param {number} center @param {number} span @returns {Range} */
const around = (center, span) => [center - span / 2, center + span / 2];

/** @param {readonly (number | null)[]} values @returns {Range} */
export function rangeOf(values) {
  const there = /** @type {number[]} */ (values.filter(Number.isFinite));
  if (there.length === 0) return [0, 1];
  const [least, most] = endsOf(there);
  const room = (most - least) * MARGIN || 0.5;
  return [least - room, most + room];
}

/** @param {readonly number[]} values @returns {Range} */
function endsOf(values) {
  const least = values.reduce((least, value) => Math.min(least, value), Infinity);
  return [least, values.reduce((most, value) => Math.max(most, value), -Infinity)];
}

/**
 * @param {readonly Pair[]} points
 * @param {number} width  pixels that they have
 * @returns {number}  pixels that they need with equal units
 */
export function heightOf(points, width) {
  const { x, y } = outermost(points);
  const wanted = ((width - 2 * EDGE.x) * spanOf(y)) / spanOf(x) + 2 * EDGE.y;
  return Math.round(Math.min(Math.max(wanted, HEIGHT.least), HEIGHT.most));
}

/**
 * Everything in view, with equal units.
 * @param {readonly Pair[]} points
 * @param {Size} size
 * @returns {Extent}
 */
export function wholeOf(points, size) {
  return withEqualUnits(outermost(points), size, EDGE);
}

/** @param {readonly Pair[]} points @returns {Extent} */
function outermost(points) {
  const [x, y] = [0, 1].map((axis) => {
    const ends = endsOf(points.map((point) => point[axis]));
    return around(middle(ends), Math.max(spanOf(ends), 1e-9));
  });
  return { x, y };
}

/**
 * An extent with equal units on both axes: the axis with more pixels than it needs shows more.
 * @param {Extent} extent
 * @param {Size} size
 * @param {{x: number, y: number}} [edge]  pixels around it
 * @returns {Extent}
 */
export function withEqualUnits({ x, y }, { width, height }, edge = { x: 0, y: 0 }) {
  const unit = Math.max(spanOf(x) / Math.max(1, width - 2 * edge.x), spanOf(y) / Math.max(1, height - 2 * edge.y));
  return { x: around(middle(x), unit * width), y: around(middle(y), unit * height) };
}

/**
 * @param {Extent} extent
 * @param {number} factor  below 1: closer
 * @param {Pair | null} fixed  a place that stays where it is; null: the middle
 * @returns {Extent}
 */
export function zoomed({ x, y }, factor, fixed) {
  const scaled = (/** @type {Range} */ range, fixed = middle(range)) =>
    /** @type {Range} */ ([fixed + (range[0] - fixed) * factor, fixed + (range[1] - fixed) * factor]);
  return { x: scaled(x, fixed?.[0]), y: scaled(y, fixed?.[1]) };
}

/** As much, around another place. @param {Extent} extent @param {Pair} place @returns {Extent} */
export function centredOn({ x, y }, place) {
  return { x: around(place[0], spanOf(x)), y: around(place[1], spanOf(y)) };
}

/**
 * What lies between two corners of a picture.
 * @param {Spot} a
 * @param {Spot} b
 * @param {Record<"x" | "y", Pick<import("../axes.js").Scale, "value">>} scales
 * @returns {Extent}
 */
export function extentBetween(a, b, { x, y }) {
  return { x: endsOf([x.value(a.x), x.value(b.x)]), y: endsOf([y.value(a.y), y.value(b.y)]) };
}

/**
 * @param {Pair} point
 * @param {Extent} extent
 * @param {Size} size
 * @returns {Spot}
 */
export function spotOf(point, { x, y }, { width, height }) {
  return {
    x: (width * (point[0] - x[0])) / spanOf(x),
    y: (height * (y[1] - point[1])) / spanOf(y),
  };
}

/** @param {Spot} spot @param {Size} size */
export function isWithin({ x, y }, { width, height }) {
  return x >= 0 && y >= 0 && x <= width && y <= height;
}
