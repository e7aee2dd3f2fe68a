/** Names beside points: on which side there is room for each, and where its text then stands. */

import { isWithin } from "./extents.js";

/** @typedef {import("./extents.js").Spot} Spot */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @typedef {object} Name  of a point
 * @property {Spot} at
 * @property {number} width
 * @property {number} height
 * @property {number} size  of the point's mark, from the middle outward
 * @property {boolean} [needed]  placed even over another point
 */

/** Around a point, a name may stand here; the names of Plotly's `textposition`, best first. */
export const SIDES = /** @type {const} */ ([
  "middle right",
  "middle left",
  "top center",
  "bottom center",
  "top right",
  "bottom right",
  "top left",
  "bottom left",
]);

/**
 * Sides of points for their names, without covering points, each other or the edge; earlier names take precedence.
 * @param {Name[]} names
 * @param {(Spot & {reach: number})[]} points  `reach`: from the middle outward
 * @param {import("./extents.js").Size} size
 * @returns {((typeof SIDES)[number] | null)[]}  null where there is no room
 */
export function placeNames(names, points, size) {
  /** @type {Box[]} */
  const taken = [];
  const dots = points.map(({ x, y, reach }) => ({ x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach }));
  return names.map((name) => {
    const places = around(name).map((box, side) => ({ ...box, side: SIDES[side] }));
    const inside = places.filter(
      (box) => isWithin(box, size) && isWithin({ x: box.x + box.width, y: box.y + box.height }, size),
    );
    const free = inside.filter((box) => !taken.some((other) => overlaps(box, other)));
    const clear = free.find((box) => !dots.some((dot) => overlaps(box, dot)));
    const chosen = clear ?? (name.needed ? free[0] : undefined);
    if (!chosen) return null;
    taken.push(chosen);
    return chosen.side;
  });
}

/**
 * As Plotly places text: this far from the middle, to the side, above or below, or both.
 * @param {Name} name
 * @returns {Box[]}  in the order of `SIDES`
 */
function around({ at: { x, y }, width, height, size }) {
  const gap = size / 0.8 + 1;
  const across = { left: x - gap - width, center: x - width / 2, right: x + gap };
  const down = { top: y - gap - height, middle: y - height / 2, bottom: y + gap };
  return SIDES.map((side) => {
    const [row, column] = /** @type {[keyof typeof down, keyof typeof across]} */ (side.split(" "));
    return { x: across[column], y: down[row], width, height };
  });
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlaps(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/**
 * Where the text of a name stands, beside the middle of its point.
 * @param {Spot} spot
 * @param {(typeof SIDES)[number]} side
 * @param {number} gap  pixels
 * @param {{above: number, middle: number, below: number}} lines  from there down to the base of the text
 */
export function besideSpot({ x, y }, side, gap, { above, middle, below }) {
  const [row, column] = /** @type {["top" | "middle" | "bottom", "left" | "center" | "right"]} */ (side.split(" "));
  const anchor = { left: "end", center: "middle", right: "start" }[column];
  const across = { left: -gap, center: 0, right: gap }[column];
  const down = { top: above - gap, middle, bottom: gap + below }[row];
  return { x: x + across, y: y + down, "text-anchor": anchor };
}
