/** The way of one token to one position through the layers, and everything that leads to a position. */

import { identity, matrixOf } from "./masks.js";

/** @typedef {import("./masks.js").Matrix} Matrix */
/** @typedef {{layer: number, from: number, to: number, isAttention: boolean}} Move */

/**
 * The moves that bring a key to a query by the end of a layer; null where nothing does. A position is carried on by the
 * residual stream as long as it can be, so the moves are few and as late as possible.
 * @param {readonly Matrix[]} masks  of the layers
 * @param {Matrix} mixed  what passes beside attention, after it
 * @param {{query: number, key: number, layer: number}} pair
 * @returns {Move[] | null}
 */
export function routeOf(masks, mixed, { query, key, layer }) {
  const count = mixed.length;
  /** Where the key has come before each layer's attention and before its mixing. @type {Set<number>[]} */
  const known = [new Set([key])];
  for (let index = 0; index <= layer; index++) {
    known.push(spread(known[2 * index], masks[index]), new Set());
    known[2 * index + 2] = spread(known[2 * index + 1], mixed);
  }
  if (!known[2 * layer + 2].has(query)) return null;
  /** @type {Move[]} */
  const moves = [];
  let to = query;
  for (let half = 2 * layer + 1; half >= 0; half--) {
    if (known[half].has(to)) continue;
    const isAttention = half % 2 === 0;
    const index = (half - (half % 2)) / 2;
    const passes = isAttention ? masks[index] : mixed;
    const from = Array.from({ length: count }, (_, position) => position).find(
      (position) => passes[to][position] && known[half].has(position),
    );
    if (from === undefined) return null;
    moves.unshift({ layer: index, from, to, isAttention });
    to = from;
  }
  return moves;
}

/**
 * Where what stands at these positions is after a mask, itself included.
 * @param {ReadonlySet<number>} from
 * @param {Matrix} passes
 */
function spread(from, passes) {
  return new Set(
    passes.flatMap((row, to) => (from.has(to) || row.some((may, key) => may && from.has(key)) ? [to] : [])),
  );
}

/**
 * Whether what stands at a position before each layer reaches the query by the end of one: a row of positions for each
 * state up to it, the tokens first.
 * @param {readonly Matrix[]} masks
 * @param {Matrix} mixed
 * @param {{query: number, layer: number}} at
 * @returns {boolean[][]}
 */
export function coneOf(masks, mixed, { query, layer }) {
  const count = mixed.length;
  let row = identity(count)[query];
  const rows = [row];
  for (let index = layer; index >= 0; index--) {
    const after = row;
    const between = mixed[0].map((_, key) => after.some((is, to) => is && mixed[to][key]));
    row = between.map((is, key) => is || between.some((leads, to) => leads && masks[index][to][key]));
    rows.unshift(row);
  }
  return rows;
}

/**
 * What one layer passes on, through attention or beside it.
 * @param {Matrix} mask
 * @param {Matrix} mixed
 */
export function stepsOf(mask, mixed) {
  return matrixOf(mask.length, (to, from) =>
    mixed[to].some((is, between) => is && (between === from || mask[between][from])),
  );
}
