/**
 * Masked scores computed in the page, for saved files: `attention_core/demos/masks.py` in float64, and the leaks of
 * finite fills in smaller formats, rounded at every step as torch does. A test compares every number with the core's.
 */

import { entropyOf, maskMatrix, writtenRow } from "../frame/mask_matrix.js";
import { rounding } from "../frame/number_formats.js";
import { softmax } from "../frame/core/attention.js";

/** @typedef {import("../../api/types.js").Body<"masks">} Body */
/** @typedef {"float16" | "bfloat16" | "float32" | "float64"} Precision */

const DEFAULT_PRECISIONS = /** @type {Precision[]} */ (["float16", "bfloat16", "float32"]);

/**
 * `POST /api/masks`; null for random scores, scores of several sequences, other formats, and masks that are not of the page.
 * @param {Body} body
 */
export function masksNumbers({ scores, seed, precision, num_queries, num_keys, fills = [], precisions, ...options }) {
  if (!scores || Array.isArray(scores[0]?.[0]) || precision || seed || num_queries || num_keys) return null;
  const rows = /** @type {number[][]} */ (scores);
  const allowed = maskMatrix(options, rows.length, rows[0].length);
  if (!allowed) return null;
  const isBatch = Array.isArray(allowed[0][0]);
  const masks = /** @type {boolean[][][]} */ (isBatch ? allowed : [allowed]);
  const tried = (precisions ?? DEFAULT_PRECISIONS).flatMap((one) => fills.map((fill) => leak(masks, rows, fill, one)));
  if (tried.includes(null)) return null; // the server says what overflows
  /** @param {unknown[]} each  of the sequences */
  const shaped = (each) => (isBatch ? each : each[0]);
  const masked = masks.map((mask) => rows.map((row, at) => row.map((one, key) => (mask[at][key] ? one : -Infinity))));
  const weights = masked.map((matrix) => matrix.map(softmax));
  return {
    kind: options.kind,
    num_queries: rows.length,
    num_keys: rows[0].length,
    precision: "float64",
    allowed,
    additive: shaped(masks.map((mask) => mask.map((row) => writtenRow(row.map((may) => (may ? 0 : -Infinity)))))),
    scores: shaped(masks.map(() => rows)),
    masked_scores: shaped(masked.map((matrix) => matrix.map(writtenRow))),
    weights: shaped(weights),
    entropy: shaped(weights.map((matrix) => matrix.map(entropyOf))),
    fully_masked: shaped(masks.map((mask) => mask.map((row) => !row.includes(true)))),
    leaks: tried.map((one) => one && { ...one, weights: shaped(one.weights), leaked: shaped(one.leaked) }),
  };
}

/**
 * The weight that a finite number lets through, in a number format; null where the scores overflow it.
 * @param {boolean[][][]} masks
 * @param {number[][]} scores
 * @param {number | string} fill
 * @param {Precision} precision
 */
function leak(masks, scores, fill, precision) {
  const rounded = rounding(precision);
  const given = scores.map((row) => row.map(rounded));
  if (given.flat().some((one) => !Number.isFinite(one))) return null;
  const stored = rounded(Number(fill));
  const softened = softmaxIn(precision);
  const weights = masks.map((mask) =>
    given.map((row, at) => softened(row.map((one, key) => (mask[at][key] ? one : rounded(one + stored))))),
  );
  const leaked = weights.map((matrix, sequence) =>
    matrix.map((row, at) => {
      const hidden = row.filter((_, key) => !masks[sequence][at][key]);
      return row.some((one) => one !== 0) ? sum(hidden) / sum(row) : 0;
    }),
  );
  const [written, kept] = writtenRow([Number(fill), stored]);
  return { precision, fill: written, stored: kept, weights, leaked, largest: Math.max(...leaked.flat()) };
}

/** Halves are widened to float32 and rounded once. @param {Precision} precision @returns {(row: number[]) => number[]} */
function softmaxIn(precision) {
  const rounded = rounding(precision);
  const wide = precision === "float64" ? rounded : Math.fround;
  return (row) => {
    const most = Math.max(...row);
    if (most === -Infinity) return row.map(() => 0);
    const powers = row.map((one) => wide(Math.exp(wide(one - most))));
    const total = powers.reduce((all, one) => wide(all + one), 0);
    return powers.map((one) => rounded(wide(one / total)));
  };
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((all, one) => all + one, 0);
}
