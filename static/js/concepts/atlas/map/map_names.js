/** Names of the heads on the map, where there is room for them beside points, rings and the numbers of the axes. */

import { placeNames } from "../../../charts/scatter/names.js";
import { label } from "./map_marks.js";

/** @typedef {import("../../../charts/scatter/extents.js").Spot} Spot */
/** @typedef {import("../../../charts/axes.js").Scale} Scale */

/** Pixels of a character, and of a line. */
const [PER_SIGN, LINE] = [7, 13];
/** The chosen head's ring and its larger name need more room. */
const CHOSEN = { more: 5, larger: 1.25 };
/** From the upward axis to the middle of its numbers, and how far they reach. */
const TICK = { left: 14, reach: 10 };
/** More points than these have no names of their own. */
const FEW = 160;

/**
 * Names of points; those of the chosen and the selected take precedence.
 * @param {import("./map_marks.js").HeadMap} map
 * @param {readonly (Spot & {index: number} | null)[]} spots  null: not in view
 * @param {{width: number, height: number}} size
 * @param {{y: Scale, box: import("../../../charts/axes.js").Box}} axes
 */
export function namesOf({ points, chosen, selected: heads }, spots, size, axes) {
  const present = spots.filter((spot) => spot !== null);
  const selected = new Set(heads);
  if (present.length > FEW && selected.size === 0) return [];
  const weight = (/** @type {number} */ index) => (index === chosen ? 2 : 0) + (selected.has(index) ? 1 : 0);
  const reachOf = (/** @type {number} */ index) => points[index].radius + (index === chosen ? CHOSEN.more : 0);
  const larger = (/** @type {number} */ index) => (index === chosen ? CHOSEN.larger : 1);
  const order = [...present].sort((a, b) => weight(b.index) - weight(a.index));
  const wanted = order.map(({ x, y, index }) => ({
    at: { x, y },
    width: points[index].name.length * PER_SIGN * larger(index),
    height: LINE * larger(index),
    size: reachOf(index) * 0.8,
    needed: index === chosen,
  }));
  const reaching = present.map(({ x, y, index }) => ({ x, y, reach: reachOf(index) }));
  const above = { width: size.width, height: axes.box.bottom };
  const sides = placeNames(wanted, [...reaching, ...numbersOf(axes)], above);
  return order.flatMap(({ x, y, index }, place) => {
    const side = sides[place];
    if (!side || (selected.size > 0 && !selected.has(index) && index !== chosen)) return [];
    const kind = index === chosen ? "atlas-name is-chosen" : "atlas-name";
    return [label(points[index].name, { x, y }, side, reachOf(index), kind)];
  });
}

/** The numbers of the upward axis, which no name covers. @param {Parameters<typeof namesOf>[3]} axes */
function numbersOf({ y, box: { left } }) {
  return y.ticks.map((tick) => ({ x: left - TICK.left, y: y.place(tick), reach: TICK.reach }));
}
