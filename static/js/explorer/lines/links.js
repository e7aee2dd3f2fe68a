/** Select the weights that are drawn as lines, and the colours of heads. */

import { SERIES_COLOURS } from "../../charts/heat_map/scales.js";

/**
 * @typedef {object} Link
 * @property {number} head  index in the list of heads drawn
 * @property {number} query  place
 * @property {number} key  place
 * @property {number} weight
 */

/** Drawn at most; of more, the strongest. */
const MOST_LINKS = 2000;
/** They make more series than there are colours. */
/** @type {readonly number[][]} */
const DASHES = [[], [7, 4], [2, 3]];
/** Weights below this are never drawn in long rows: sorting them all would take longer than a frame. */
const LEAST_IN_LONG_ROWS = 0.001;
const LONG_ROW = 512;

/**
 * The keys that hold the largest share of a row, largest first: as few as reach `top` of the row's sum.
 * @param {Float32Array} row
 * @param {number} top  0…1
 * @returns {number[]}
 */
export function topKeys(row, top) {
  const total = row.reduce((sum, weight) => sum + weight, 0);
  const least = row.length > LONG_ROW ? LEAST_IN_LONG_ROWS : 0;
  const order = [];
  for (let key = 0; key < row.length; key++) if (row[key] > least) order.push(key);
  order.sort((a, b) => row[b] - row[a] || a - b);
  let sum = 0;
  const wanted = top * total * (1 - 1e-6);
  const count = order.findIndex((key) => (sum += row[key]) >= wanted);
  return count < 0 ? order : order.slice(0, count + 1);
}

/**
 * The lines of some queries in all heads drawn: of more than can be drawn the strongest, which come last.
 * @param {{row: (query: number) => Float32Array | null}[]} series
 * @param {number[]} queries  places
 * @param {number} top  0…1: the share of each row
 * @returns {{links: Link[], count: number}}  `count`: of all
 */
export function linksOf(series, queries, top) {
  const candidates = series.flatMap(({ row }, head) =>
    queries.flatMap((query) => {
      const weights = row(query);
      return weights ? topKeys(weights, top).map((key) => ({ head, query, key, weight: weights[key] })) : [];
    }),
  );
  const links = strongest(candidates, MOST_LINKS).sort((a, b) => a.weight - b.weight);
  return { links, count: candidates.length };
}

/**
 * The weights between a token and every token of the other side, averaged over the heads.
 * @param {{row: (query: number) => Float32Array | null}[]} series
 * @param {number} queries  how many there are
 * @param {{side: "query" | "key", place: number}} token
 * @returns {Float32Array | null}  null while they are fetched
 */
export function meanWeights(series, queries, { side, place }) {
  const rows = series.map(({ row }) =>
    side === "query" ? row(place) : Float32Array.from({ length: queries }, (_, query) => row(query)?.[place] ?? 0),
  );
  const known = rows.filter((row) => row !== null);
  if (known.length < 2) return known[0] ?? null;
  return known[0].map((_, index) => known.reduce((sum, row) => sum + row[index], 0) / known.length);
}

/**
 * The strongest of many links, in the order given.
 * @param {Link[]} links
 * @param {number} most
 * @returns {Link[]}
 */
export function strongest(links, most) {
  if (links.length <= most) return links;
  const bound = links.map((link) => link.weight).sort((a, b) => b - a)[most - 1];
  return links.filter((link) => link.weight >= bound).slice(0, most);
}

/**
 * Colour and dash of the n-th head: 24 that differ.
 * @param {number} index
 * @returns {{color: number, dash: number[]}}
 */
export function seriesOf(index) {
  const dash = DASHES[Math.floor(index / SERIES_COLOURS) % DASHES.length];
  return { color: index % SERIES_COLOURS, dash };
}
