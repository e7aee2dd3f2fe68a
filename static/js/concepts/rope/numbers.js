/**
 * RoPE's numbers computed in the page, for saved files: the formulas of `attention_core/rope.py` and
 * `attention_core/rope_scaling.py`, in float64 too. A test compares every number with the core's.
 */

import {
  anglesOf,
  change,
  columnsOf,
  frequenciesOf,
  product,
  ROTATIONS,
  transposed,
  wavelengthsOf,
} from "../frame/core/rotation.js";

/** @typedef {import("../../api/types.js").Body<"rope">} RopeBody */
/** @typedef {import("../../api/types.js").Body<"rope/scaling">} ScalingBody */
/** @typedef {import("../frame/core/rotation.js").Rotation} Rotation */

const BASE = 10_000;
/** Of YaRN and of Llama 3, as published: turns within the trained length. */
const YARN = { fast: 32, slow: 1 };
const LLAMA3 = { low: 1, high: 4 };
const KNOWN = new Set(
  "dim pairing positions base frequencies vector key distances slide mix_pairings compose".split(" "),
);

/**
 * `POST /api/rope`, for what the page asks; null for other settings.
 * @param {RopeBody} body
 */
export function ropeNumbers(body) {
  if (Object.keys(body).some((name) => !KNOWN.has(name))) return null;
  const { dim, pairing, positions, distances, slide, mix_pairings: isMixed, compose } = body;
  const theta = body.frequencies ?? frequenciesOf(dim, body.base ?? BASE);
  const vector = body.vector ?? unitVector(dim, pairing);
  const key = body.key ?? vector;
  const rotate = ROTATIONS[pairing];
  const angles = anglesOf(positions, theta);
  const rotated = angles.map((row) => rotate(vector, row));
  const rotatedKeys = angles.map((row) => rotate(key, row));
  const far = distances ?? positions;
  return {
    frequencies: theta,
    wavelengths: wavelengthsOf(theta),
    attention_factor: 1,
    angles,
    cos: angles.map((row) => row.map(Math.cos)),
    sin: angles.map((row) => row.map(Math.sin)),
    vector,
    key,
    rotated,
    rotated_keys: rotatedKeys,
    norms: rotated.map((row) => Math.hypot(...row)),
    relative_scores: product(rotated, rotatedKeys),
    decay_distances: far,
    decay: far.map((distance) => decayOf(theta.map((frequency) => distance * frequency))),
    permutation: halfSplitOrder(dim),
    slide: slide === undefined || slide === null ? null : slideOf({ vector, key, theta, rotate, positions, slide }),
    mixed_pairings: isMixed ? mixedOf({ vector, key, theta, pairing, positions }) : null,
    composition: compose ? compositionOf(compose, theta, pairing) : null,
  };
}

/**
 * `POST /api/rope/scaling`
 * @param {ScalingBody} body
 */
export function scalingNumbers({ dim = 128, base = BASE, trained_length: trained = 2048, factor = 4, positions }) {
  const length = Math.max(...positions.map(Math.abs)) + 1;
  const theta = frequenciesOf(dim, base);
  const ntk = (/** @type {number} */ stretch) => frequenciesOf(dim, base * stretch ** (dim / (dim - 2)));
  const dynamic = (factor * Math.max(length, trained)) / trained - (factor - 1);
  const ways = {
    none: theta,
    linear: theta.map((frequency) => frequency / factor),
    ntk: ntk(factor),
    dynamic: ntk(dynamic),
    yarn: yarnOf(theta, { base, trained, factor }),
    llama3: theta.map((frequency) => llama3Of(frequency, trained, factor)),
  };
  const met = theta.map((frequency) => trained * frequency);
  return {
    scalings: Object.entries(ways).map(([kind, slowed]) => {
      const sharpened = kind === "yarn" && factor > 1 ? 0.1 * Math.log(factor) + 1 : 1;
      const angles = anglesOf(positions, slowed);
      const isUnseen = (/** @type {number} */ angle, /** @type {number} */ pair) =>
        Math.abs(angle) > met[pair] && met[pair] < 2 * Math.PI;
      return {
        kind,
        attention_factor: sharpened,
        frequencies: slowed,
        wavelengths: wavelengthsOf(slowed),
        angles,
        unseen_pairs: angles.map((row) => row.filter(isUnseen).length),
        scores: angles.map((row) => mean(row.map(Math.cos)) * sharpened ** 2),
      };
    }),
  };
}

/** @param {number} dim */
function halfSplitOrder(dim) {
  return Array.from({ length: dim }, (_, index) => (index < dim / 2 ? 2 * index : 2 * index - dim + 1));
}

/** (1, 0) in every pair. @param {number} dim @param {string} pairing */
function unitVector(dim, pairing) {
  return Array.from({ length: dim }, (_, index) =>
    Number(pairing === "half_split" ? index < dim / 2 : index % 2 === 0),
  );
}

/** Mean length of the sums of the first 1, 2, … unit vectors at these angles. @param {readonly number[]} angles */
function decayOf(angles) {
  let [x, y] = [0, 0];
  return mean(angles.map((angle) => Math.hypot((x += Math.cos(angle)), (y += Math.sin(angle)))));
}

/**
 * @param {{vector: readonly number[], key: readonly number[], theta: readonly number[], rotate: Rotation, rotateKey?: Rotation, positions: readonly number[], slide: number}} given
 */
function slideOf({ vector, key, theta, rotate, rotateKey = rotate, positions, slide }) {
  const moved = anglesOf(
    positions.map((position) => position + slide),
    theta,
  );
  const angles = anglesOf(positions, theta);
  const scores = (/** @type {number[][]} */ queries, /** @type {number[][]} */ keys) =>
    product(
      queries.map((row) => rotate(vector, row)),
      keys.map((row) => rotateKey(key, row)),
    );
  const [before, both, queryOnly] = [scores(angles, angles), scores(moved, moved), scores(moved, angles)];
  return {
    both,
    query_only: queryOnly,
    largest_change_both: change(both, before),
    largest_change_query_only: change(queryOnly, before),
  };
}

/**
 * @param {{vector: readonly number[], key: readonly number[], theta: readonly number[], pairing: "interleaved" | "half_split", positions: readonly number[]}} given
 */
function mixedOf({ vector, key, theta, pairing, positions }) {
  const other = pairing === "interleaved" ? "half_split" : "interleaved";
  const [rotate, rotateKey] = [ROTATIONS[pairing], ROTATIONS[other]];
  const angles = anglesOf(positions, theta);
  const toHalves = halfSplitOrder(vector.length);
  const order = other === "half_split" ? toHalves : toHalves.map((_, index) => toHalves.indexOf(index));
  const inOrder = (/** @type {readonly number[]} */ vector) => order.map((index) => vector[index]);
  const scores = (/** @type {readonly number[]} */ q, /** @type {Rotation} */ by, /** @type {readonly number[]} */ k) =>
    product(
      angles.map((row) => by(q, row)),
      angles.map((row) => rotateKey(k, row)),
    );
  const slid = slideOf({ vector, key, theta, rotate, rotateKey, positions, slide: 1 });
  return {
    mixed_scores: scores(vector, rotate, key),
    wrong_layout_scores: scores(vector, rotateKey, key),
    permuted_scores: scores(inOrder(vector), rotateKey, inOrder(key)),
    largest_change_on_slide: slid.largest_change_both,
  };
}

/**
 * `R_mᵀ R_n` and `R_{n−m}`.
 * @param {readonly number[]} pair
 * @param {readonly number[]} theta
 * @param {"interleaved" | "half_split"} pairing
 */
function compositionOf([m, n], theta, pairing) {
  const [first, second] = [columnsOf(m, theta, pairing), columnsOf(n, theta, pairing)];
  const rotation = transposed(columnsOf(n - m, theta, pairing));
  const multiplied = product(first, second);
  return {
    product: multiplied,
    difference_rotation: rotation,
    largest_difference: change(multiplied, rotation),
  };
}

/** @param {readonly number[]} theta @param {{base: number, trained: number, factor: number}} settings */
function yarnOf(theta, { base, trained, factor }) {
  const dim = 2 * theta.length;
  const indexOf = (/** @type {number} */ turns) =>
    (dim * Math.log(trained / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  const low = Math.max(Math.floor(indexOf(YARN.fast)), 0);
  const high = Math.min(Math.ceil(indexOf(YARN.slow)), dim - 1);
  const width = low === high ? 0.001 : high - low;
  return theta.map((frequency, pair) => {
    const kept = 1 - Math.min(Math.max((pair - low) / width, 0), 1);
    return (frequency / factor) * (1 - kept) + frequency * kept;
  });
}

/** @param {number} theta @param {number} trained @param {number} factor */
function llama3Of(theta, trained, factor) {
  const wavelength = (2 * Math.PI) / theta;
  if (wavelength < trained / LLAMA3.high) return theta;
  if (wavelength > trained / LLAMA3.low) return theta / factor;
  const smooth = (trained / wavelength - LLAMA3.low) / (LLAMA3.high - LLAMA3.low);
  return ((1 - smooth) * theta) / factor + smooth * theta;
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
