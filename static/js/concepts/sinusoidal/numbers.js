/**
 * The vectors of positions computed in the page, for saved files: the formulas of `attention_core/sinusoidal.py`, in
 * float64 too. A test compares every number with the core's. A model's own table is not computed.
 */

import {
  anglesOf,
  change,
  columnsOf,
  frequenciesOf,
  product,
  transposed,
  wavelengthsOf,
} from "../frame/core/rotation.js";

const BASE = 10_000;
const LENGTH = 64;

/**
 * `POST /api/sinusoidal`; null for a model's table.
 * @param {import("../../api/types.js").Body<"sinusoidal">} body
 */
export function sinusoidalNumbers({
  dim = 64,
  seq_len: length,
  positions: ownPositions,
  base = BASE,
  layout,
  step,
  model,
}) {
  if (model !== undefined && model !== null) return null;
  const positions = ownPositions ?? Array.from({ length: length ?? LENGTH }, (_, index) => index);
  const theta = frequenciesOf(dim, base);
  const isInterleaved = layout !== "half_split";
  const encode = (/** @type {readonly number[]} */ positions) =>
    anglesOf(positions, theta).map((angles) =>
      isInterleaved
        ? angles.flatMap((angle) => [Math.sin(angle), Math.cos(angle)])
        : [...angles.map(Math.sin), ...angles.map(Math.cos)],
    );
  const encoding = encode(positions);
  const similarity = product(encoding, encoding);
  return {
    frequencies: theta,
    wavelengths: wavelengthsOf(theta),
    encoding,
    similarity,
    cosine_similarity: similarity.map((row) => row.map((value) => value / theta.length)), // sin² + cos² = 1 in each pair
    step: step === undefined || step === null ? null : taken(step),
    positions,
    table: null,
  };

  /** @param {number} by */
  function taken(by) {
    // Each pair (sin, cos) is rotated clockwise: RoPE's matrix of position −k.
    const columns = columnsOf(-by, theta, isInterleaved ? "interleaved" : "half_split");
    const matrix = transposed(columns);
    const shifted = encode(positions.map((position) => position + by));
    const byMatrix = product(encoding, matrix);
    return { matrix, shifted, by_matrix: byMatrix, largest_difference: change(shifted, byMatrix) };
  }
}
