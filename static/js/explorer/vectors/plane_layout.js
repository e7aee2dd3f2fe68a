/** Layout of points in a plane: equal scale in both directions, hit testing, and placing names without overlap. */

import { moveInList } from "../../base/key_moves.js";

/** @typedef {{x: number, y: number}} Spot  in pixels, y down */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @typedef {object} Name  of a point
 * @property {Spot} at
 * @property {number} width
 * @property {number} height
 * @property {number} size  of the point's mark, from the middle outward
 * @property {boolean} [needed]  placed even over another point
 *
 * @typedef {object} Fit
 * @property {number} height
 * @property {(point: readonly [number, number]) => Spot} place
 */

const EDGE = { x: 44, y: 30 };
const HEIGHT = { least: 260, most: 460 };
/** Between a point and its name. */
const GAP = 4;

/**
 * @param {readonly (readonly [number, number])[]} points
 * @param {number} width  of the picture
 * @returns {Fit}
 */
export function fitPlane(points, width) {
  const [x, y] = [0, 1].map((axis) => extent(points.map((point) => point[axis])));
  const room = Math.max(1, width - 2 * EDGE.x);
  const wanted = (room * y.span) / x.span + 2 * EDGE.y;
  const height = Math.round(Math.min(Math.max(wanted, HEIGHT.least), HEIGHT.most));
  const scale = Math.min(room / x.span, (height - 2 * EDGE.y) / y.span);
  return {
    height,
    place: ([across, up]) => ({
      x: width / 2 + (across - x.middle) * scale,
      y: height / 2 - (up - y.middle) * scale,
    }),
  };
}

/** @param {number[]} values */
function extent(values) {
  const least = values.reduce((one, other) => Math.min(one, other), Infinity);
  const most = values.reduce((one, other) => Math.max(one, other), -Infinity);
  return { span: Math.max(most - least, 1e-9), middle: (least + most) / 2 };
}

/**
 * Many points as one path: circles, or squares standing on a corner.
 * @param {Spot[]} spots
 * @param {"circle" | "diamond"} shape
 * @param {number} size  from the middle outward
 * @returns {string}
 */
export function pathOf(spots, shape, size) {
  const outline =
    shape === "circle"
      ? `a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`
      : `l${size} ${-size}l${size} ${size}l${-size} ${size}z`;
  return spots.map(({ x, y }) => `M${(x - size).toFixed(2)} ${y.toFixed(2)}${outline}`).join("");
}

/**
 * @template {Spot} S
 * @param {S[]} spots
 * @param {Spot} at
 * @param {number} reach  pixels
 * @returns {S | null}  the nearest within reach
 */
export function nearest(spots, at, reach) {
  let best = reach;
  let found = null;
  for (const spot of spots) {
    const distance = Math.hypot(spot.x - at.x, spot.y - at.y);
    if (distance > best) continue;
    best = distance;
    found = spot;
  }
  return found;
}

/**
 * Keyboard navigation: left and right through the tokens of a role, up and down to the other role.
 * @template {{role: "query" | "key", token: number, place: number}} P
 * @param {P[]} points  those of a role in the order of their places
 * @param {P} from
 * @param {string} key
 * @returns {P | null}  null for a key that moves nothing
 */
export function nextPoint(points, from, key) {
  const [own, others] = [true, false].map((isOwn) => points.filter(({ role }) => (role === from.role) === isOwn));
  const across = key === "ArrowUp" || key === "ArrowDown";
  if (across) return others.find(({ token }) => token >= from.token) ?? others.at(-1) ?? from;
  const place = moveInList(key, from.place, own.length, { way: "right" });
  return place === null ? null : own[place];
}

/**
 * Positions of names beside their points without covering points, each other or the edge; earlier names take precedence.
 * @param {Name[]} names
 * @param {(Spot & {reach?: number})[]} points  `reach`: from the middle outward, of one that is larger than the others
 * @param {{width: number, height: number, size: number}} picture  `size`: of a point
 * @returns {(Spot | null)[]}  the upper left corner of each; null where there is no room
 */
export function placeNames(names, points, { width, height, size }) {
  /** @type {Box[]} */
  const taken = [];
  const dots = points.map(({ x, y, reach = size }) => ({
    ...{ x: x - reach, y: y - reach },
    ...{ width: 2 * reach, height: 2 * reach },
  }));
  return names.map((name) => {
    const places = around(name).filter(
      (box) => box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height,
    );
    const free = places.filter((box) => !taken.some((other) => overlaps(box, other)));
    const clear = free.find((box) => !dots.some((dot) => overlaps(box, dot)));
    const found = clear ?? (name.needed ? free[0] : undefined);
    if (!found) return null;
    taken.push(found);
    return { x: found.x, y: found.y };
  });
}

/**
 * @param {Name} name
 * @returns {Box[]}  right, left, above, below, and between
 */
function around({ at: { x, y }, width, height, size }) {
  const gap = size + GAP;
  const [left, right, middle] = [x - gap - width, x + gap, x - width / 2];
  const [above, below, level] = [y - gap - height, y + gap, y - height / 2];
  const near = gap / 2;
  return [
    [right, level],
    [left, level],
    [middle, above],
    [middle, below],
    [right - near, above + near],
    [right - near, below - near],
    [left + near, above + near],
    [left + near, below - near],
  ].map(([across, down]) => ({ x: across, y: down, width, height }));
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlaps(one, other) {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
