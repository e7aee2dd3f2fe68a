/**
 * The three ways, the translator and who attends to whom computed in the page, for saved files:
 * `attention_core/demos/why.py` and `why_japanese.py` in float64, with the random numbers of their seeds. A test
 * compares every number with the core's.
 */

import { dot, softmax } from "../frame/core/attention.js";
import { orthogonalFactor, spectralNorm } from "../frame/core/matrix_norm.js";
import { product, transposed } from "../frame/core/rotation.js";
import { torchGenerator } from "../frame/core/torch_random.js";

/** @typedef {number[][]} Matrix */
/** @typedef {{orthogonal: Matrix, inputWeight: Matrix}} Network */
/** @typedef {ReturnType<typeof torchGenerator>} Generator */

const DEFAULT_DIM = 32;
const INPUT_SCALE = 0.5;
const WORDS_OF_A_SEED = 1000;

/**
 * `POST /api/why`; null for places that are not in the text.
 * @param {import("../../api/types.js").Body<"why">} body
 */
export function whyNumbers(body) {
  const { words, numbers, gains = [0.9], dim = DEFAULT_DIM, seed = 0, wanted = 0 } = body;
  if (!words || (numbers && numbers.length !== words.length)) return null;
  const reader = body.reader ?? words.length - 1;
  const asks = body.asks ?? reader;
  if (Math.max(reader, asks, wanted) >= words.length) return null;
  const different = [...new Set(words)];
  const vectors = (numbers ?? words.map((word) => different.indexOf(word))).map((index) =>
    wordVector(index, dim, seed),
  );
  const generator = torchGenerator(seed);
  const network = randomNetwork(dim, dim, generator);
  const queries = product(vectors, asking(vectors[asks], vectors[wanted], generator));
  const scores = product(queries, vectors).map((row) => row.map((score) => score / Math.sqrt(dim)));
  return {
    words,
    reader,
    asks,
    wanted,
    average: words.map(() => 1 / words.length),
    recurrent: gains.map((gain) => reading(vectors, gain, network, reader)),
    scores,
    weights: scores.map(softmax),
    effort: {
      recurrent_steps: words.length,
      recurrent_path: Math.abs(asks - wanted),
      compared_pairs: words.length ** 2,
    },
  };
}

/** A random direction, of length √d. @param {number} word @param {number} dim @param {number} seed */
function wordVector(word, dim, seed) {
  const row = torchGenerator(WORDS_OF_A_SEED * seed + word + 1).normals(dim);
  const length = Math.hypot(...row);
  return row.map((value) => (value * Math.sqrt(dim)) / length);
}

/** @param {number} dim @param {number} inputs @param {Generator} generator @returns {Network} */
function randomNetwork(dim, inputs, generator) {
  const orthogonal = orthogonalFactor(generator.matrix(dim, dim));
  const scale = INPUT_SCALE / Math.sqrt(inputs);
  return { orthogonal, inputWeight: generator.matrix(dim, inputs).map((row) => row.map((value) => value * scale)) };
}

/**
 * A random W_q, changed by a matrix of rank 1 so that it makes one vector of the other.
 * @param {number[]} asks
 * @param {number[]} wanted
 * @param {Generator} generator
 */
function asking(asks, wanted, generator) {
  const dim = asks.length;
  const start = generator.matrix(dim, dim).map((row) => row.map((value) => value / Math.sqrt(dim)));
  const square = dot(asks, asks);
  return start.map((row, position) => {
    const missing = (wanted[position] - dot(row, asks)) / square;
    return row.map((value, column) => value + missing * asks[column]);
  });
}

/**
 * How much each word counts in the state after the reader.
 * @param {Matrix} vectors
 * @param {number} gain
 * @param {Network} network
 * @param {number} reader
 */
function reading(vectors, gain, { orthogonal, inputWeight }, reader) {
  const hiddenWeight = orthogonal.map((row) => row.map((value) => value * gain));
  const states = recurrentStates(vectors.slice(0, reader + 1), hiddenWeight, inputWeight);
  const [columns, inputColumns] = [transposed(hiddenWeight), transposed(inputWeight)];
  let behind = hiddenWeight.map((row, index) => row.map((_, column) => Number(index === column)));
  const influences = vectors.map(() => 0);
  for (let position = reader; position >= 0; position--) {
    const through = behind.map((row) => row.map((value, unit) => value * (1 - states[position][unit] ** 2)));
    influences[position] = spectralNorm(product(through, inputColumns));
    behind = product(through, columns);
  }
  const total = influences.reduce((sum, value) => sum + value, 0);
  const most = spectralNorm(inputWeight);
  return {
    gain,
    influences,
    shares: influences.map((influence) => influence / total),
    bounds: vectors.map((_, position) => (position > reader ? 0 : gain ** (reader - position) * most)),
  };
}

/** @param {Matrix} inputs @param {Matrix} hiddenWeight @param {Matrix} inputWeight */
function recurrentStates(inputs, hiddenWeight, inputWeight) {
  let state = hiddenWeight.map(() => 0);
  return inputs.map((input) => {
    state = hiddenWeight.map((row, unit) => Math.tanh(dot(row, state) + dot(inputWeight[unit], input)));
    return state;
  });
}

const SOURCE_FEATURES = [
  [1, 0, 0, 0],
  [0, 0, 0, 1],
  [0, 1, 0, 0],
  [0, 0, 0.6, 0],
  [0, 0, 1, 0],
];
const TARGET_FEATURES = [
  [1, 0, 0, 0.5],
  [0, 0, 1, 0],
  [0, 0.6, 0, 0],
  [0, 1, 0, 0],
];
const SHARPNESS = 8;

/**
 * `POST /api/why/translation`
 * @param {import("../../api/types.js").Body<"why/translation">} body
 */
export function translationNumbers({ gain = 0.9, dim = DEFAULT_DIM, seed = 0 }) {
  const source = SOURCE_FEATURES;
  const network = randomNetwork(dim, source[0].length, torchGenerator(seed));
  const { shares } = reading(source, gain, network, source.length - 1);
  const scores = product(TARGET_FEATURES, source).map((row) => row.map((value) => (SHARPNESS * value) / 2)); // √4
  return {
    source: ["吾輩", "は", "猫", "で", "ある"],
    target: ["I", "am", "a", "cat"],
    meanings: ["the speaker", "an animal", "being", "the topic"],
    source_features: source,
    target_features: TARGET_FEATURES,
    sharpness: SHARPNESS,
    through_one_vector: TARGET_FEATURES.map(() => shares),
    scores,
    weights: scores.map(softmax),
  };
}

const TOKENS = ["吾輩", "は", "猫", "で", "ある", "。", "名前", "は", "まだ", "ない", "。"];
/** @type {Record<string, number[]>} */
const TOKEN_FEATURES = { 吾輩: [1, 0, 0], 猫: [1, 1, 0], 名前: [0, 0, 1] };
const QUERY_WEIGHT = [
  [0, 0, 3],
  [3, 0, 0],
];
const KEY_WEIGHT = [
  [3, 0, 0],
  [0, 3, 0],
];

/**
 * `POST /api/why/asymmetry`
 * @param {import("../../api/types.js").Body<"why/asymmetry">} body
 */
export function asymmetryNumbers({ difference = 1 }) {
  const vectors = TOKENS.map((token) => TOKEN_FEATURES[token] ?? [0, 0, 0]);
  const mean = QUERY_WEIGHT.map((row, rowIndex) =>
    row.map((value, column) => (value + KEY_WEIGHT[rowIndex][column]) / 2),
  );
  const apart = (/** @type {Matrix} */ weight) =>
    mean.map((row, rowIndex) => row.map((value, column) => value + difference * (weight[rowIndex][column] - value)));
  return {
    tokens: TOKENS,
    features: ["someone", "of a kind", "belongs to someone"],
    vectors,
    shared: side(vectors, mean, mean),
    own: side(vectors, apart(QUERY_WEIGHT), apart(KEY_WEIGHT)),
  };
}

/** @param {Matrix} vectors @param {Matrix} queryWeight @param {Matrix} keyWeight */
function side(vectors, queryWeight, keyWeight) {
  const scores = product(product(vectors, queryWeight), product(vectors, keyWeight)).map((row) =>
    row.map((score) => score / Math.SQRT2),
  );
  const apart = scores.flatMap((row, rowIndex) => row.map((score, column) => score - scores[column][rowIndex]));
  return {
    query_weight: queryWeight,
    key_weight: keyWeight,
    scores,
    weights: scores.map(softmax),
    asymmetry: Math.hypot(...apart) / Math.hypot(...scores.flat()),
  };
}
