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
  const tried = (precisions ?? DEFAULT_PRECISIONS).flatMap((precision) =>
    fills.map((fill) => leak(masks, rows, fill, precision)),
  );
  if (tried.includes(null)) return null; // the server says what overflows
  /** @param {unknown[]} sequences */
  const shaped = (sequences) => (isBatch ? sequences : sequences[0]);
  const masked = masks.map((mask) =>
    rows.map((row, query) => row.map((value, key) => (mask[query][key] ? value : -Infinity))),
  );
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
    leaks: tried.map((leak) => leak && { ...leak, weights: shaped(leak.weights), leaked: shaped(leak.leaked) }),
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
  const roundedScores = scores.map((row) => row.map(rounded));
  if (roundedScores.flat().some((value) => !Number.isFinite(value))) return null;
  const stored = rounded(Number(fill));
  const softened = softmaxIn(precision);
  const weights = masks.map((mask) =>
    roundedScores.map((row, query) =>
      softened(row.map((score, key) => (mask[query][key] ? score : rounded(score + stored)))),
    ),
  );
  const leaked = weights.map((matrix, sequence) =>
    matrix.map((row, query) => {
      const hidden = row.filter((_, key) => !masks[sequence][query][key]);
      return row.some((weight) => weight !== 0) ? sum(hidden) / sum(row) : 0;
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
    const powers = row.map((value) => wide(Math.exp(wide(value - most))));
    const total = powers.reduce((sum, power) => wide(sum + power), 0);
    return powers.map((power) => rounded(wide(power / total)));
  };
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
