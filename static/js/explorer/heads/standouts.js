/** The heads that stand out on a text, each with the reason: found in the metrics and in the thumbnails. */

import { othersMean } from "../state/measures/cell_measures.js";
import { uniformEntropy } from "../state/measures/uniform_entropy.js";

/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("../../base/decode.js").Thumbnails} Thumbnails */
/** @typedef {import("../state/head_list.js").HeadAt} HeadAt */
/** @typedef {Pick<Part, "induction_cells" | "key_totals">} Specific  what only short texts have */

/**
 * @typedef {"link" | "induction" | "previous_token" | "next_token" | "same_token" | "first_token" | "separator"
 *   | "focused" | "even"} Reason
 * @typedef {HeadAt & {reason: Reason, value: number, query?: number, key?: number, others?: number | null}} Standout
 *   `value`: of its metric, a weight, or a share of the entropy of equal weights; `others`: what the other queries give
 *   the same key on average
 *
 * @typedef {object} Searched
 * @property {Pick<Part, "metrics" | "causal" | "key_tokens"> & Partial<Specific>} part
 * @property {Thumbnails} thumbnails
 * @property {Token[]} queries
 * @property {Token[]} keys
 */

/** Value from which the largest of a metric is worth a look. */
const LEAST = { previous_token: 0.4, next_token: 0.4, same_token: 0.4, first_token: 0.6, separator: 0.6 };
const LEAST_LINK = 0.3;
const LEAST_INDUCTION = 0.3;
/** Shares of the entropy of equal weights below which a head is focused, and above which it is even. */
const FOCUSED = 0.25;
const EVEN = 0.9;
const FEWEST_KEYS = 5;
const FEWEST_REPEATED = 2;
/** Words between whose numbers there is so much are no neighbours, nor are tokens that are of no words. */
const APART = 2;

/**
 * The head that stands out most for each reason there is; each head once.
 * @param {Searched} searched
 * @returns {Standout[]}
 */
export function standouts(searched) {
  const { metrics } = searched.part;
  if (searched.part.key_tokens < FEWEST_KEYS) return [];
  /** Of the same head, first the one that says more. @type {(Standout | null)[]} */
  const candidates = [strongestInduction(searched), strongestLink(searched)];
  for (const [reason, least] of Object.entries(LEAST)) {
    const best = metrics[reason] && extreme(metrics[reason], 1);
    if (best && best.value >= least) candidates.push({ ...best, reason: /** @type {Reason} */ (reason) });
  }
  candidates.push(...byEntropy(searched));
  /** @type {Standout[]} */
  const apart = [];
  for (const candidate of candidates) {
    if (candidate && !apart.some(({ layer, head }) => layer === candidate.layer && head === candidate.head))
      apart.push(candidate);
  }
  return apart;
}

/**
 * For what a head is most extreme among all: the metric in which the fewest are above it, or below it.
 * @param {Part["metrics"]} metrics
 * @param {HeadAt} at
 * @returns {{metric: string, rank: number, isLargest: boolean, value: number, count: number} | null}
 */
export function mostExtreme(metrics, { layer, head }) {
  const ranks = Object.entries(metrics).flatMap(([metric, values]) => {
    const scores = values.flat();
    const value = values[layer]?.[head];
    if (value === undefined || scores.every((score) => score === value)) return [];
    const above = scores.filter((score) => score > value).length;
    const below = scores.filter((score) => score < value).length;
    const isLargest = above <= below;
    return [{ metric, rank: 1 + Math.min(above, below), isLargest, value, count: scores.length }];
  });
  return ranks.sort((a, b) => a.rank - b.rank)[0] ?? null;
}

/**
 * @param {number[][]} values
 * @param {1 | -1} sign  −1 for the smallest
 */
function extreme(values, sign) {
  let best = { layer: 0, head: 0, value: values[0][0] };
  values.forEach((row, layer) =>
    row.forEach((value, head) => {
      if (sign * (value - best.value) > 0) best = { layer, head, value };
    }),
  );
  return best;
}

/** @param {Searched} searched  @returns {Standout[]} */
function byEntropy({ part }) {
  const { entropy } = part.metrics;
  if (!entropy) return [];
  const uniform = uniformEntropy(part);
  const [least, most] = [extreme(entropy, -1), extreme(entropy, 1)];
  /** @type {Standout[]} */
  const extremes = [];
  if (least.value < FOCUSED * uniform) extremes.push({ ...least, reason: "focused", value: least.value / uniform });
  if (most.value > EVEN * uniform) extremes.push({ ...most, reason: "even", value: most.value / uniform });
  return extremes;
}

/**
 * The largest weight between two tokens of words that are neither special nor neighbours nor alike.
 * @param {Searched} searched
 * @returns {Standout | null}
 */
function strongestLink({ part, thumbnails, queries, keys }) {
  if (!isExact({ thumbnails, queries, keys })) return null;
  const isSame = queries === keys;
  const pairs = queries.flatMap((query, row) =>
    keys.flatMap((key, col) => {
      const isNear = isSame && (between(query, key, row - col) < APART || query.id === key.id);
      return isNear || !isWord(query) || !isWord(key) ? [] : [row * keys.length + col];
    }),
  );
  /** @type {(HeadAt & {reason: Reason, value: number, query: number, key: number}) | null} */
  let best = null;
  eachHead(thumbnails, (layer, head, cells) => {
    for (const pair of pairs) {
      const value = cells[pair] / 255;
      if (value < LEAST_LINK || value <= (best?.value ?? 0)) continue;
      best = { layer, head, reason: "link", value, query: Math.floor(pair / keys.length), key: pair % keys.length };
    }
  });
  return best && withOthers({ part, queries, keys }, best);
}

/**
 * The head that most attends to what followed its query's token last time, in a text that repeats some.
 * @param {Searched} searched
 * @returns {Standout | null}
 */
function strongestInduction({ part, thumbnails, queries, keys }) {
  if (queries !== keys || !isExact({ thumbnails, queries, keys })) return null;
  const shown = (part.induction_cells ?? []).filter(([query]) => isWord(queries[query]));
  if (shown.length < FEWEST_REPEATED) return null;
  /** @type {Standout | null} */
  let best = null;
  eachHead(thumbnails, (layer, head, cells) => {
    const sum = shown.reduce((total, [query, key]) => total + cells[query * keys.length + key], 0);
    const value = sum / (255 * shown.length);
    if (value >= LEAST_INDUCTION && value > (best?.value ?? 0)) best = { layer, head, reason: "induction", value };
  });
  return best;
}

/**
 * The weight of one cell of a head, where it is worth a word: between two tokens of the text, and large.
 * @param {Omit<Searched, "part"> & {part: Partial<Specific>}} searched
 * @param {HeadAt & {query: number | null, key: number | null}} at
 * @returns {{query: number, key: number, value: number, others: number | null} | null}
 */
export function tellingCell(searched, { layer, head, query, key }) {
  const { thumbnails, queries, keys } = searched;
  if (query === null || key === null || !isExact(searched)) return null;
  if (!queries[query] || !keys[key] || !isWord(queries[query]) || !isWord(keys[key])) return null;
  const place = (layer * thumbnails.heads + head) * thumbnails.height * thumbnails.width + query * keys.length + key;
  const value = thumbnails.bytes[place] / 255;
  return value >= LEAST_LINK ? withOthers(searched, { layer, head, query, key, value }) : null;
}

/**
 * A weight with the mean of what the other tokens that may attend to the same key give it; null without any.
 * @template {HeadAt & {query: number, key: number, value: number}} Cell
 * @param {{part: Partial<Specific>, queries: Token[], keys: Token[]}} searched
 * @param {Cell} cell
 * @returns {Cell & {others: number | null}}
 */
function withOthers({ part, queries, keys }, cell) {
  // A token's weight on itself is not in the sums.
  const isCounted = queries !== keys || cell.query !== cell.key;
  return { ...cell, others: othersMean(part, cell, isCounted ? cell.value : null) };
}

/** How many words two tokens are apart: 0 for pieces of one. @param {Token} one @param {Token} other @param {number} positions */
const between = ({ word }, { word: second }, positions) =>
  Math.abs(typeof word === "number" && typeof second === "number" ? word - second : positions);

/** @param {Token} token */
const isWord = ({ special, text }) => !special && /[\p{L}\p{N}]/u.test(text);

/**
 * Whether a thumbnail has a cell for each pair of tokens: those of long texts are pooled.
 * @param {Pick<Searched, "thumbnails" | "queries" | "keys">} searched
 */
function isExact({ thumbnails, queries, keys }) {
  return thumbnails.height === queries.length && thumbnails.width === keys.length;
}

/**
 * @param {Thumbnails} thumbnails
 * @param {(layer: number, head: number, cells: Uint8Array) => void} visit
 */
function eachHead({ bytes, layers, heads, height, width }, visit) {
  const size = height * width;
  for (let index = 0; index < layers * heads; index++) {
    visit(Math.floor(index / heads), index % heads, bytes.subarray(index * size, (index + 1) * size));
  }
}
