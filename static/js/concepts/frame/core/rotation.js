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
  return theta.map((one) => (one === 0 ? "Infinity" : (2 * Math.PI) / one));
}

/** @param {readonly number[]} positions @param {readonly number[]} theta */
export function anglesOf(positions, theta) {
  return positions.map((position) => theta.map((one) => position * one));
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

/** `one @ other.T` @param {readonly number[][]} one @param {readonly number[][]} other */
export function product(one, other) {
  return one.map((row) => other.map((column) => row.reduce((sum, value, at) => sum + value * column[at], 0)));
}

/**
 * The columns of a position's rotation matrix.
 * @param {number} position
 * @param {readonly number[]} theta
 * @param {"interleaved" | "half_split"} pairing
 */
export function columnsOf(position, theta, pairing) {
  const angles = theta.map((one) => position * one);
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
  return Math.max(...after.flatMap((row, at) => row.map((value, column) => Math.abs(value - before[at][column]))));
}
