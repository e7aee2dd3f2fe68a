/** The scoring lab's state: tensors, mechanism, mask, positions, and what is computed beside it; and what the API is asked. */

import { choice, flag, matrix, number, whole } from "../../base/fields.js";

export const MOST_TOKENS = 12;
export const MOST_SIZE = 8;
export const LARGEST = 10_000;
/** What some code adds in place of −∞. */
const SOFT_MINUS = -1e5;
const BOUNDS = { least: -LARGEST, most: LARGEST, rows: MOST_TOKENS, columns: MOST_SIZE };

const MECHANISMS = /** @type {const} */ (["scaled_dot", "dot", "cosine", "additive"]);
const MASKS = /** @type {const} */ (["none", "causal", "padding", "sliding_window", "prefix", "custom"]);
/** The same tensors once more: another mechanism, a known bug, a change. */
const BESIDE = /** @type {const} */ ([
  "none",
  ...MECHANISMS,
  "unscaled",
  "wrong_axis",
  "soft_mask",
  "swapped",
  "no_position",
  "half",
]);
const STORIES = /** @type {const} */ (["plain", "library", "sky", "survey"]);

export const fields = {
  queries: matrix(identity(2), BOUNDS),
  keys: matrix(identity(2), BOUNDS),
  values: matrix(
    [
      [10, 20],
      [30, 40],
    ],
    BOUNDS,
  ),
  mechanism: choice(MECHANISMS),
  temperature: number(1, 0.01, 100),
  mask: choice(MASKS),
  window: whole(2, 1, MOST_TOKENS),
  prefix: whole(1, 0, MOST_TOKENS),
  length: whole(1, 0, MOST_TOKENS),
  allowed: matrix([[1]], { ...BOUNDS, least: 0, most: 1, columns: MOST_TOKENS }),
  biased: flag(),
  bias: matrix([[0]], { ...BOUNDS, columns: MOST_TOKENS }),
  position: choice(["none", "rope", "alibi"]),
  slope: number(0.5, 0, 8),
  pairing: choice(["interleaved", "half_split"]),
  seed: whole(0, 0, 999),
  precision: choice(["float64", "float32", "bfloat16", "float16"]),
  beside: choice(BESIDE),
  story: choice(STORIES),
  query: whole(0, 0, MOST_TOKENS - 1),
  key: whole(0, 0, MOST_TOKENS - 1),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ScoringState */
/** @typedef {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} Given */
/** @typedef {import("../../api/types.js").Body<"scoring">} Body */
/** @typedef {import("../../api/types.js").AnswerTo<"scoring">} ScoringAnswer */
/** @typedef {import("../../api/types.js").Call<"scoring">} ScoringCall  of what is computed beside it */

/** @param {number} size */
export function identity(size) {
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => Number(row === column)));
}

/**
 * A matrix cut or filled to another size.
 * @param {readonly (readonly number[])[]} values
 * @param {number} rows
 * @param {number} columns
 * @param {number} filler
 */
export function fitted(values, rows, columns, filler) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => values[row]?.[column] ?? filler),
  );
}

/**
 * The body of `POST /api/scoring`.
 * @param {Given} state
 * @returns {Body}
 */
export function request(state) {
  const { queries, keys, values, mechanism, temperature, seed, precision, biased } = state;
  const mask = maskOf(state);
  const position = positionOf(state);
  return {
    queries,
    keys,
    values,
    ...scoredBy(mechanism, seed),
    ...(temperature === 1 ? {} : { temperature }),
    ...(biased ? { bias: fitted(state.bias, queries.length, keys.length, 0) } : {}),
    ...(mask ? { mask } : {}),
    ...(position ? { position } : {}),
    ...(precision === "float64" ? {} : { precision }),
  };
}

/** @param {(typeof MECHANISMS)[number]} mechanism @param {number} seed  of the additive one's weights */
function scoredBy(mechanism, seed) {
  return mechanism === "additive" ? { mechanism, additive: { seed } } : { mechanism };
}

/**
 * @param {Given} state
 * @returns {Body["mask"]}
 */
function maskOf({ mask, window, prefix, length, allowed, queries, keys }) {
  if (mask === "none") return null;
  if (mask === "sliding_window") return { kind: mask, window };
  if (mask === "prefix") return { kind: mask, prefix: Math.min(prefix, keys.length) };
  if (mask === "padding") return { kind: mask, lengths: Math.min(length, keys.length) };
  if (mask === "causal") return { kind: mask };
  return { kind: mask, allowed: fitted(allowed, queries.length, keys.length, 1).map((row) => row.map(Boolean)) };
}

/** @param {Given} state @returns {Body["position"]} */
function positionOf({ position, slope, pairing }) {
  if (position === "none") return null;
  return position === "rope" ? { kind: position, pairing } : { kind: position, slope, symmetric: false };
}

/**
 * Where a query may attend, by the server's convention: fewer queries than keys are at the last positions.
 * @param {Readonly<ScoringState>} state
 * @returns {boolean[][]}
 */
function allowedOf({ mask, window, prefix, length, allowed, queries, keys }) {
  const offset = keys.length - queries.length;
  const given = fitted(allowed, queries.length, keys.length, 1);
  return queries.map((_, row) =>
    keys.map((_, column) => {
      const behind = row + offset - column;
      if (mask === "causal") return behind >= 0;
      if (mask === "sliding_window") return behind >= 0 && behind < window;
      if (mask === "prefix") return behind >= 0 || column < prefix;
      if (mask === "padding") return column < length;
      return mask === "custom" ? given[row][column] !== 0 : true;
    }),
  );
}

/**
 * The second call: none where nothing is compared, or it would be the same, or cannot be.
 * @param {Readonly<ScoringState>} state
 * @returns {ScoringCall[]}
 */
export function also(state) {
  const body = besideRequest(state, request(state));
  return body ? [{ stem: "scoring", body }] : [];
}

/**
 * @param {Readonly<ScoringState>} state
 * @param {Body} first  the first call's
 * @returns {Body | null}
 */
function besideRequest(state, first) {
  const { beside, mask, mechanism, seed } = state;
  const { additive: _additive, position, ...plain } = first;
  const kept = position ? { position } : {};
  switch (beside) {
    case "none":
      return null;
    case "unscaled":
      return { ...plain, ...kept, mechanism: "dot" };
    case "swapped":
      return canSwap(state) ? { ...first, keys: state.values, values: state.keys } : null;
    case "soft_mask":
      return mask === "none" ? null : { ...first, mask: softMask(state) };
    case "no_position":
      return position ? { ...plain, ...scoredBy(mechanism, seed) } : null;
    case "half":
      return { ...first, precision: "float16" };
    case "wrong_axis":
      return first;
    default:
      return { ...plain, ...kept, ...scoredBy(beside, seed) };
  }
}

/** @param {Readonly<ScoringState>} state */
function softMask(state) {
  return {
    kind: /** @type {const} */ ("custom"),
    additive: allowedOf(state).map((row) => row.map((may) => (may ? 0 : SOFT_MINUS))),
  };
}

/**
 * Keys and values can change places only if values are as long as queries are.
 * @param {Readonly<ScoringState>} state
 */
function canSwap({ values, keys, mechanism }) {
  return values[0].length === keys[0].length || mechanism === "additive";
}

/**
 * A change of one tensor, and the changes it requires: as many values as keys, queries as long as keys.
 * @param {Readonly<ScoringState>} state
 * @param {"queries" | "keys" | "values"} name
 * @param {number[][]} changed
 * @returns {Partial<ScoringState>}
 */
export function withTensor(state, name, changed) {
  const next = { queries: state.queries, keys: state.keys, values: state.values, [name]: changed };
  const { queries, keys, values } = next;
  const isTied = state.mechanism !== "additive";
  if (name === "values") next.keys = fitted(keys, values.length, keys[0].length, 0);
  else next.values = fitted(values, keys.length, values[0].length, 0);
  if (isTied && name === "queries") next.keys = fitted(next.keys, next.keys.length, queries[0].length, 0);
  if (isTied && name === "keys") next.queries = fitted(queries, queries.length, keys[0].length, 0);
  return next;
}

/** @type {import("../frame/concept.js").Buttons<ScoringState>} */
export const buttons = { "#swap": (state) => ({ ...withTensor(state, "keys", state.values), values: state.keys }) };
