/** Orthogonal factors and spectral norms of small matrices, for pages that compute by themselves in saved files. */

import { dot } from "./attention.js";
import { product, transposed } from "./rotation.js";

/** Halvings of an interval, until nothing of 53 bits is left of it. */
const HALVINGS = 60;

/**
 * The Q of a square matrix `Q R`, by Householder's reflections, with LAPACK's signs.
 * @param {readonly number[][]} matrix
 * @returns {number[][]}
 */
export function orthogonalFactor(matrix) {
  const columns = transposed(matrix);
  const rows = matrix.map((row, index) => row.map((_, column) => Number(index === column)));
  for (let step = 0; step < matrix.length; step++) {
    const mirror = mirrorOf(columns[step], step);
    if (mirror === null) continue;
    for (const vector of [...columns, ...rows]) reflect(vector, mirror);
  }
  return rows;
}

/**
 * The largest singular value, `‖A‖₂`: the root of the largest eigenvalue of `Aᵀ A`.
 * @param {readonly number[][]} matrix
 */
export function spectralNorm(matrix) {
  const columns = transposed(matrix);
  const { diagonal, beside } = tridiagonal(product(columns, columns));
  let [low, high] = [0, diagonal.reduce((sum, value) => sum + value, 0)]; // no eigenvalue is negative, so none exceeds the trace
  for (let count = 0; count < HALVINGS; count++) {
    const middle = (low + high) / 2;
    if (areBelow(middle, diagonal, beside)) high = middle;
    else low = middle;
  }
  return Math.sqrt(high);
}

/**
 * The vector of unit length in whose mirror all numbers of x after this one vanish; null where they have vanished.
 * @param {readonly number[]} x
 * @param {number} from
 */
function mirrorOf(x, from) {
  if (x.slice(from + 1).every((value) => value === 0)) return null;
  const mirror = x.map((value, index) => (index < from ? 0 : value));
  mirror[from] += Math.sign(x[from] || 1) * Math.hypot(...mirror);
  const length = Math.hypot(...mirror);
  return mirror.map((value) => value / length);
}

/** `x − 2 (x · v) v` @param {number[]} x @param {readonly number[]} mirror */
function reflect(x, mirror) {
  const twice = 2 * dot(x, /** @type {number[]} */ (mirror));
  for (let index = 0; index < x.length; index++) x[index] -= twice * mirror[index];
}

/**
 * A symmetric matrix with the same eigenvalues that has numbers on and beside its diagonal alone.
 * @param {number[][]} symmetric  is overwritten
 */
function tridiagonal(symmetric) {
  for (let step = 0; step < symmetric.length - 2; step++) {
    const mirror = mirrorOf(symmetric[step], step + 1);
    if (mirror === null) continue;
    for (const row of symmetric) reflect(row, mirror);
    const twice = symmetric[0].map(
      (_, column) => 2 * symmetric.reduce((sum, row, index) => sum + row[column] * mirror[index], 0),
    );
    symmetric.forEach((row, index) => row.forEach((_, column) => (row[column] -= mirror[index] * twice[column])));
  }
  return {
    diagonal: symmetric.map((row, index) => row[index]),
    beside: symmetric.slice(1).map((row, index) => row[index]),
  };
}

/**
 * Whether all eigenvalues are below a bound: all of Sturm's ratios are negative then.
 * @param {number} bound
 * @param {readonly number[]} diagonal
 * @param {readonly number[]} beside
 */
function areBelow(bound, diagonal, beside) {
  let ratio = 1;
  return diagonal.every((value, index) => {
    ratio = value - bound - (index === 0 ? 0 : beside[index - 1] ** 2 / ratio);
    return ratio < 0;
  });
}
