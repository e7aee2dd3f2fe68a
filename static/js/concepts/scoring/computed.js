/**
 * One head of attention computed in the page, for saved files: `attention_core/demos/scoring.py` in float64. A test
 * compares every number with the core's. The hidden layer of additive attention is random, so the server's, and other
 * number formats are left to it too.
 */

import { attention, length, softmax } from "../frame/core/attention.js";
import { anglesOf, frequenciesOf, ROTATIONS } from "../frame/core/rotation.js";
import { entropyOf, maskMatrix, writtenRow } from "../frame/mask_matrix.js";

/** @typedef {import("../../api/types.js").Body<"scoring">} Body */
/** @typedef {number[][]} Matrix */

const BASE = 10_000;

/**
 * `POST /api/scoring`; null for what is left to the server, and for what it refuses.
 * @param {Body} body
 */
export function scoringNumbers(body) {
  const { queries: q, keys: k, values, mechanism = "scaled_dot", temperature = 1, bias, mask, position } = body;
  const isComputed = mechanism !== "additive" && (body.precision ?? "float64") === "float64" && body.scale == null;
  if (!isComputed || q[0].length !== k[0].length || k.length !== values.length) return null;
  const rotated = position?.kind === "rope" ? rotate(q, k, position) : { queries: q, keys: k };
  const biases = [bias, position?.kind === "alibi" ? alibi(q.length, k.length, position) : undefined];
  const masked = mask && mask.kind !== "none" ? maskOf(mask, q.length, k.length) : undefined;
  if (!rotated || biases.includes(null) || masked === null) return null;
  const { queries, keys } = rotated;
  const { scores, scale, scaledScores } = attention({ queries, keys, values, mechanism, temperature });
  const added = total(biases.filter((bias) => bias != null));
  const allScores = scaledScores.map((row, query) =>
    row.map((score, key) => score + (added?.[query][key] ?? 0) + (masked?.numbers[query][key] ?? 0)),
  );
  if (![...scores, ...scaledScores].flat().every(Number.isFinite)) return null;
  const weights = allScores.map(softmax);
  const output = weights.map((row) =>
    values[0].map((_, axis) => row.reduce((sum, w, key) => sum + w * values[key][axis], 0)),
  );
  return {
    queries,
    keys,
    values,
    raw_scores: scores,
    scaled_scores: scaledScores,
    masked_scores: allScores.map(writtenRow),
    weights,
    head_outputs: output,
    output,
    bias: added,
    mask: masked?.written ?? null,
    entropy: weights.map(entropyOf),
    scale,
    temperature,
    mechanism,
    fully_masked: allScores.map((row) => row.every((score) => score === -Infinity)),
    precision: "float64",
    query_norms: q.map(length),
    key_norms: k.map(length),
    additive: null,
  };
}

/** @param {Matrix[]} matrices @returns {Matrix | null} */
function total(matrices) {
  if (matrices.length === 0) return null;
  return matrices.reduce((sum, matrix) =>
    sum.map((row, rowIndex) => row.map((value, key) => value + matrix[rowIndex][key])),
  );
}

/**
 * @param {NonNullable<Body["mask"]>} mask
 * @param {number} queries
 * @param {number} keys
 * @returns {{numbers: Matrix, written: unknown[][]} | null}  added to the scores, and as the API writes it
 */
function maskOf(mask, queries, keys) {
  if (mask.additive) {
    const numbers = /** @type {Matrix} */ (mask.additive.map((/** @type {unknown[]} */ row) => row.map(Number)));
    return mask.causal ? null : { numbers, written: numbers.map(writtenRow) };
  }
  const allowed = /** @type {boolean[][] | null} */ (maskMatrix(mask, queries, keys));
  if (!allowed || Array.isArray(allowed[0][0])) return null;
  return { numbers: allowed.map((row) => row.map((may) => (may ? 0 : -Infinity))), written: allowed };
}

/** @param {Matrix} queries @param {Matrix} keys @param {NonNullable<Body["position"]>} position */
function rotate(queries, keys, { pairing, base, query_positions, key_positions }) {
  const size = queries[0].length;
  if (size % 2 || query_positions || key_positions || queries.length > keys.length) return null;
  const theta = frequenciesOf(size, base ?? BASE);
  const first = Math.max(keys.length - queries.length, 0);
  /** @param {Matrix} vectors @param {number} from */
  const turned = (vectors, from) => {
    const angles = anglesOf(
      vectors.map((_, offset) => from + offset),
      theta,
    );
    return vectors.map((vector, position) => ROTATIONS[pairing ?? "interleaved"](vector, angles[position]));
  };
  return { queries: turned(queries, first), keys: turned(keys, 0) };
}

/**
 * @param {number} queries
 * @param {number} keys
 * @param {NonNullable<Body["position"]>} position
 * @returns {Matrix | null}
 */
function alibi(queries, keys, { slope, num_heads, head, symmetric }) {
  if (queries > keys || slope == null || num_heads || head) return null;
  return Array.from({ length: queries }, (_, query) =>
    Array.from({ length: keys }, (_, key) => {
      const behind = query + keys - queries - key;
      return 0 - slope * (symmetric ? Math.abs(behind) : behind);
    }),
  );
}
