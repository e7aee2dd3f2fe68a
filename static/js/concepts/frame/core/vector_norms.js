/** Norms of one vector, without a learned scale and without ε. */

/**
 * LayerNorm, or RMS norm where the mean stays.
 * @param {readonly number[]} vector
 * @param {object} [options]
 * @param {boolean} [options.isCentred]  whether the mean is subtracted
 * @param {number} [options.degrees]  what the sum of squares is divided by
 * @param {number} [options.power]  of the mean square, by which the vector is divided
 */
export function layerNorm(vector, { isCentred = true, degrees = vector.length, power = 0.5 } = {}) {
  const mean = isCentred ? vector.reduce((sum, value) => sum + value, 0) / vector.length : 0;
  const rest = vector.map((value) => value - mean);
  const spread = rest.reduce((sum, value) => sum + value ** 2, 0) / degrees;
  return rest.map((value) => value / spread ** power);
}
