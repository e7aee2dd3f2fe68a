/**
 * Pairs of numbers rotated by positions, as RoPE and sinusoidal encodings have it: the formulas of
 * `attention_core/rope.py`, for pages that compute by themselves in saved files.
 */

/** @typedef {(vector: readonly number[], angles: readonly number[]) => number[]} Rotation */

/**
 * `θ_i = base^(−2i/dim)`
 * @param {number} dim
 * @param {number} base
 */
export function frequenciesOf(dim, base) {
  return Array.from({ length: dim / 2 }, (_, pair) => base ** ((-2 * pair) / dim));
}

/** Positions per full turn, infinite ones as the API writes them. @param {readonly number[]} theta */
export function wavelengthsOf(theta) {
  return theta.map((frequency) => (frequency === 0 ? "Infinity" : (2 * Math.PI) / frequency));
}

/** @param {readonly number[]} positions @param {readonly number[]} theta */
export function anglesOf(positions, theta) {
  return positions.map((position) => theta.map((frequency) => position * frequency));
}

/** Each pair by its angle: components 2i and 2i + 1, or i and i + dim/2. @type {Record<"interleaved" | "half_split", Rotation>} */
export const ROTATIONS = {
  interleaved: (vector, angles) =>
    angles.flatMap((angle, pair) => rotatedPair(vector[2 * pair], vector[2 * pair + 1], angle)),
  half_split: (vector, angles) => {
    const pairs = angles.map((angle, pair) => rotatedPair(vector[pair], vector[pair + angles.length], angle));
    return [...pairs.map(([a]) => a), ...pairs.map(([, b]) => b)];
  },
};

/** @param {number} a @param {number} b @param {number} angle @returns {[number, number]} */
function rotatedPair(a, b, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [a * cos - b * sin, a * sin + b * cos];
}

/** `a @ b.T` @param {readonly number[][]} a @param {readonly number[][]} b */
export function product(a, b) {
  return a.map((row) => b.map((column) => row.reduce((sum, value, axis) => sum + value * column[axis], 0)));
}

/**
 * The columns of a position's rotation matrix.
 * @param {number} position
 * @param {readonly number[]} theta
 * @param {"interleaved" | "half_split"} pairing
 */
export function columnsOf(position, theta, pairing) {
  const angles = theta.map((frequency) => position * frequency);
  const dim = 2 * theta.length;
  return Array.from({ length: dim }, (_, column) =>
    ROTATIONS[pairing](
      Array.from({ length: dim }, (_, row) => Number(row === column)),
      angles,
    ),
  );
}

/** @param {readonly number[][]} matrix */
export function transposed(matrix) {
  return matrix[0].map((_, column) => matrix.map((row) => row[column]));
}

/** The largest absolute difference. @param {readonly number[][]} after @param {readonly number[][]} before */
export function change(after, before) {
  return Math.max(
    ...after.flatMap((row, index) => row.map((value, column) => Math.abs(value - before[index][column]))),
  );
}
