/**
 * Attention computed in the page, for charts that follow a drag: the formulas of `attention_core`, in float64 too.
 * Tests compare every number with the API's answers. Rows are queries, columns are keys.
 */

/** @typedef {"dot" | "scaled_dot" | "cosine" | "additive"} Mechanism */

/** @typedef {number[]} Vector */

/**
 * The hidden layer of additive attention, as the API hands it out.
 * @typedef {object} AdditiveWeights
 * @property {number[][]} query_weight  (hidden, size of a query)
 * @property {number[][]} key_weight
 * @property {number[]} combine
 * @property {number[] | null} bias
 */

/**
 * @typedef {object} Stages  of one attention
 * @property {number[][]} scores  (queries, keys), before scale and temperature
 * @property {number} scale  the mechanism's scale divided by the temperature
 * @property {number[][]} scaledScores
 * @property {number[][]} exponentials  exp(scaled score − the row's largest)
 * @property {number[][]} weights
 * @property {number[][]} outputs
 * @property {number[]} entropy  of each row of weights, in nats
 */

/** @type {readonly Mechanism[]} */
export const MECHANISMS = ["dot", "scaled_dot", "cosine", "additive"];

/** Below this a vector counts as short rather than as a direction; the core's ε. */
const SHORTEST = 1e-12;

/**
 * `weights = softmax(score(q, k) · scale / temperature)`, `outputs = weights · values`, every stage kept.
 * @param {object} given
 * @param {Vector[]} given.queries
 * @param {Vector[]} given.keys
 * @param {Vector[]} given.values
 * @param {Mechanism} given.mechanism
 * @param {number} given.temperature
 * @param {AdditiveWeights | null} [given.additive]  needed by the additive mechanism alone
 * @returns {Stages}
 */
export function attention({ queries, keys, values, mechanism, temperature, additive = null }) {
  const scale = (mechanism === "scaled_dot" ? 1 / Math.sqrt(queries[0].length) : 1) / temperature;
  const score = scorer(mechanism, additive);
  const scores = queries.map((query) => keys.map((key) => score(query, key)));
  const scaledScores = scores.map((row) => row.map((value) => value * scale));
  const exponentials = scaledScores.map(exponentialsOf);
  const weights = exponentials.map(shares);
  const outputs = weights.map((row) => mixed(row, values));
  return { scores, scale, scaledScores, exponentials, weights, outputs, entropy: weights.map(entropy) };
}

/**
 * @param {Mechanism} mechanism
 * @param {AdditiveWeights | null} additive
 * @returns {(query: Vector, key: Vector) => number}
 */
function scorer(mechanism, additive) {
  if (mechanism === "cosine") return (query, key) => dot(unit(query), unit(key));
  if (mechanism !== "additive") return dot;
  if (!additive) throw new Error("additive attention needs the weights of its hidden layer");
  return (query, key) => additiveScore(additive, query, key);
}

/**
 * @param {Vector} a
 * @param {Vector} b
 */
export function dot(a, b) {
  return a.reduce((sum, value, axis) => sum + value * b[axis], 0);
}

/** @param {Vector} vector */
export function length(vector) {
  return Math.hypot(...vector);
}

/** @param {Vector} vector */
function unit(vector) {
  const size = Math.max(length(vector), SHORTEST);
  return vector.map((value) => value / size);
}

/**
 * `vᵀ tanh(W_q q + W_k k + b)`
 * @param {AdditiveWeights} weights
 * @param {Vector} query
 * @param {Vector} key
 */
function additiveScore({ query_weight, key_weight, combine, bias }, query, key) {
  return combine.reduce((sum, share, unitIndex) => {
    const input = dot(query_weight[unitIndex], query) + dot(key_weight[unitIndex], key) + (bias ? bias[unitIndex] : 0);
    return sum + share * Math.tanh(input);
  }, 0);
}

/**
 * The largest is subtracted first, so that nothing overflows; the shares stay the same.
 * @param {number[]} scores
 */
function exponentialsOf(scores) {
  const most = Math.max(...scores);
  return scores.map((score) => Math.exp(score - most));
}

/** @param {number[]} exponentials */
export function shares(exponentials) {
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  return exponentials.map((value) => value / total);
}

/**
 * @param {number[]} weights
 * @param {Vector[]} values
 * @returns {Vector}
 */
export function mixed(weights, values) {
  return values[0].map((_, axis) => weights.reduce((sum, weight, key) => sum + weight * values[key][axis], 0));
}

/** @param {number[]} weights */
export function entropy(weights) {
  return -weights.reduce((sum, weight) => (weight > 0 ? sum + weight * Math.log(weight) : sum), 0);
}

/**
 * A row of weights; all 0 where no score may be read.
 * @param {number[]} scores
 */
export function softmax(scores) {
  const most = Math.max(...scores);
  if (most === -Infinity) return scores.map(() => 0);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((power) => power / total);
}
