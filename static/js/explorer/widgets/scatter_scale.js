/** Places of heads on a scatter of two measures, its ticks, and the head that a key leads to. */

import { moveInList } from "../../base/key_moves.js";
import { fixed } from "../../base/numbers.js";
import { scaleOf } from "../../charts/axes.js";
import { indexOfHead } from "../state/head_list.js";

/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {HeadAt & {x: number, y: number, values: [number, number]}} Point */

/** Of the drawing, in its own units. */
export const SIZE = { width: 480, height: 280, left: 44, right: 12, top: 24, bottom: 34 };

/**
 * @param {number[][]} across
 * @param {number[][]} up
 * @returns {{points: Point[], ticks: {x: number, text: string}[], rungs: {y: number, text: string}[]}}
 */
export function scatterPlaces(across, up) {
  const [x, y] = [
    axis(across.flat(), SIZE.left, SIZE.width - SIZE.right),
    axis(up.flat(), SIZE.height - SIZE.bottom, SIZE.top),
  ];
  const points = across.flatMap((row, layer) =>
    row.map((value, head) => ({
      layer,
      head,
      x: x.place(value),
      y: y.place(up[layer][head]),
      values: /** @type {[number, number]} */ ([value, up[layer][head]]),
    })),
  );
  return {
    points,
    ticks: x.ticks.map((value) => ({ x: x.place(value), text: fixed(value, 2) })),
    rungs: y.ticks.map((value) => ({ y: y.place(value), text: fixed(value, 2) })),
  };
}

/**
 * The head a key leads to: → and ← go on in the order of the measure across, ↑ and ↓ in that of the one up.
 * @param {readonly Point[]} points
 * @param {HeadAt} from
 * @param {string} key
 * @returns {Point | null}  null for a key that moves nothing
 */
export function steppedPoint(points, from, key) {
  const isUp = key === "ArrowUp" || key === "ArrowDown";
  const [first, second] = isUp ? [1, 0] : [0, 1];
  const order = [...points].sort((a, b) => a.values[first] - b.values[first] || a.values[second] - b.values[second]);
  const index = indexOfHead(order, from);
  const next = moveInList(isUp ? { ArrowUp: "ArrowRight", ArrowDown: "ArrowLeft" }[key] : key, index, order.length, {
    way: "right",
  });
  return next === null ? null : order[next];
}

/**
 * @param {number[]} values
 * @param {number} from  where the least stands
 * @param {number} to
 */
function axis(values, from, to) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least === most) return scaleOf({ least, most: least + 1, ticks: [least] }, [], from, to);
  return scaleOf({ least, most, ticks: [least, (least + most) / 2, most] }, [], from, to);
}
