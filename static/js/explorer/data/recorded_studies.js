/** Derive rollout, a token's attention and distributions from the recorded weights of every head. */

/** @typedef {import("../../api/types.js").Distribution} Distribution */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").TopTokens} TopTokens */

/**
 * The mean of several heads.
 * @param {Float32Array[]} heads
 * @returns {Float32Array}
 */
export function meanOf(heads) {
  const sum = new Float64Array(heads[0].length);
  for (const head of heads) head.forEach((weight, cell) => (sum[cell] += weight / heads.length));
  return Float32Array.from(sum);
}

/**
 * What is left of every token in every other after each layer: the product of ½ mean weights + ½ identity.
 * @param {Float32Array[]} means  by layer: size × size
 * @param {number} size
 * @returns {Float32Array[]}  by layer: size × size
 */
export function chained(means, size) {
  /** @type {Float64Array<ArrayBufferLike>} */
  let product = new Float64Array(size * size);
  for (let token = 0; token < size; token++) product[token * size + token] = 1;
  return means.map((mean) => {
    const next = product.map((share) => share / 2);
    for (let query = 0; query < size; query++) {
      for (let key = 0; key < size; key++) {
        const weight = mean[query * size + key] / 2;
        for (let token = 0; token < size; token++) next[query * size + token] += weight * product[key * size + token];
      }
    }
    product = next;
    return Float32Array.from(next);
  });
}

/**
 * What tokens that stand together attend to, in one head: the mean over them.
 * @param {Float32Array} weights  queries × keys
 * @param {number} keys
 * @param {Range} own  their places
 * @returns {Float64Array}
 */
export function rowOf(weights, keys, [first, end]) {
  const line = new Float64Array(keys);
  for (let row = first; row < end; row++) {
    for (let key = 0; key < keys; key++) line[key] += weights[row * keys + key] / (end - first);
  }
  return line;
}

/**
 * How much each query attends to tokens that stand together, in one head: the sum over them.
 * @param {Float32Array} weights  queries × keys
 * @param {number} keys
 * @param {Range} own  their places
 * @returns {Float64Array}
 */
export function columnOf(weights, keys, [first, end]) {
  return Float64Array.from({ length: weights.length / keys }, (_, query) => {
    let sum = 0;
    for (let key = first; key < end; key++) sum += weights[query * keys + key];
    return sum;
  });
}

/**
 * The largest of a line of weights, words by their first token: to a word the sum over its tokens, from it the mean. As
 * in the API, −1 stands where there are no more, since the mask forbids them.
 * @param {Float64Array} line
 * @param {Range[]} spans  tokens of each word; those that are hidden are in none
 * @param {number} count
 * @param {"sum" | "mean"} over
 * @param {(span: Range) => boolean} isAllowed
 * @returns {{indices: number[], weights: number[], total: number}}
 */
export function largestOf(line, spans, count, over, isAllowed) {
  const shares = spans.map(([first, end]) => {
    const sum = line.subarray(first, end).reduce((total, weight) => total + weight, 0);
    return over === "sum" ? sum : sum / (end - first);
  });
  const allowed = [...shares.keys()].filter((place) => isAllowed(spans[place]));
  const order = allowed.sort((a, b) => shares[b] - shares[a] || a - b).slice(0, count);
  const filled = Array.from({ length: Math.min(count, spans.length) }, (_, rank) => order[rank] ?? -1);
  return {
    indices: filled.map((place) => (place < 0 ? -1 : spans[place][0])),
    weights: filled.map((place) => (place < 0 ? 0 : shares[place])),
    total: shares.reduce((total, share) => total + share, 0),
  };
}

/**
 * @param {object} head
 * @param {Float32Array} head.values  of one stage: queries × keys
 * @param {(cell: number) => boolean} head.isVisible  whether the mask lets it through
 * @param {Float32Array} head.weights
 * @param {number} keys
 * @param {number} bins
 * @returns {Distribution}
 */
export function distributionOf({ values, isVisible, weights }, keys, bins) {
  const seen = values.filter((_, cell) => isVisible(cell));
  let [sum, squares, minimum, maximum] = [0, 0, Infinity, -Infinity];
  for (const value of seen) {
    sum += value;
    squares += value * value;
    minimum = Math.min(minimum, value);
    maximum = Math.max(maximum, value);
  }
  if (seen.length === 0) [minimum, maximum] = [0, 0];
  const width = (maximum > minimum ? maximum - minimum : 1) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, edge) => minimum + edge * width);
  const counts = edges.slice(1).map(() => 0);
  for (const value of seen) counts[Math.min(bins - 1, Math.floor((value - minimum) / width))] += 1;
  const count = Math.max(1, seen.length);
  const mean = sum / count;
  const row_entropy = Array.from({ length: weights.length / keys }, (_, query) => {
    const row = weights.subarray(query * keys, (query + 1) * keys);
    return row.reduce((entropy, weight) => (weight > 0 ? entropy - weight * Math.log(weight) : entropy), 0);
  });
  const standard_deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  const masked = values.length - seen.length;
  return { edges, counts, mean, standard_deviation, minimum, maximum, masked, row_entropy };
}
