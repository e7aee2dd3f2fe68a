/** RoPE's page as data: its fields and the calls that a state makes. */

import { choice, number, whole } from "../../base/fields.js";
import { furtherAnswer } from "../frame/further_answer.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} RopeState */
/** @typedef {import("../../api/types.js").Call<"rope" | "rope/scaling">} RopeCall  besides */
/** @typedef {import("../frame/concept.js").Answered<"rope", RopeState, RopeCall[]>} RopeData */

export const VIEWS = ["pair", "sky", "clocks", "scores", "group", "decay", "pairing", "scaling"];
const MOST_POSITIONS = 64;
const FARTHEST = 256;

export const fields = {
  view: choice(VIEWS),
  theta: number(0.5, 0, 3.14),
  x: number(1, -2, 2),
  y: number(0, -2, 2),
  position: whole(2, 0, MOST_POSITIONS),
  slide: number(0, 0, MOST_POSITIONS),
  alone: number(0, 0, 12),
  star: whole(1, 0, 6),
  dim: choice(["8", "16", "32", "64", "128"], "128"),
  base: number(10_000, 10, 1_000_000),
  pair: whole(0, 0, 63),
  query: whole(5, 0, 7),
  key: whole(2, 0, 7),
  distance: whole(50, 0, FARTHEST),
  trained: whole(64, 8, FARTHEST),
  factor: number(4, 1, 16),
};

/** Seven stars, of which the query is one; joined as a ladle. */
export const STARS = [
  [0.86, 0.42],
  [0.56, 0.5],
  [0.3, 0.36],
  [0.02, 0.24],
  [-0.08, -0.1],
  [-0.5, -0.16],
  [-0.5, 0.26],
];
export const LADLE = [0, 1, 2, 3, 4, 5, 6, 3];
/** At this θ, with nothing moved, the stars form a ladle. */
const LADLE_THETA = 0.15;

const POSITIONS = [0, 1, 2, 3, 4, 5, 6, 7];
const QUERY = [1, 0.5, 0.8, -0.3, 0.6, 0.4, -0.2, 0.9];
const KEY = [0.7, 0.9, 0.2, 0.4, -0.5, 0.8, 0.3, 0.6];

/** Each star before RoPE rotates it by its own position. */
const UNROTATED = STARS.map(([x, y], position) => {
  const [cos, sin] = [Math.cos(position * LADLE_THETA), Math.sin(position * LADLE_THETA)];
  return [x * cos + y * sin, y * cos - x * sin];
});

/**
 * The stars as the pairs of one vector, all rotating at one speed: `rotated[j]` holds star j at its own position.
 * @param {number} theta
 * @param {number} slide
 * @param {number} star  moved alone
 * @param {number} alone
 */
function sky(theta, slide, star, alone) {
  return {
    dim: 2 * STARS.length,
    pairing: /** @type {const} */ ("interleaved"),
    frequencies: STARS.map(() => theta),
    vector: UNROTATED.flat(),
    positions: STARS.map((_, position) => position + slide + (position === star ? alone : 0)),
  };
}

/** @param {Readonly<RopeState>} state @returns {import("../../api/types.js").Body<"rope">} */
export function request(state) {
  const { view, theta, x, y, position, slide, base } = state;
  const dim = Number(state.dim);
  const model = { dim, base, pairing: /** @type {const} */ ("half_split") };
  if (view === "sky") return sky(theta, slide, state.star, state.alone);
  if (view === "clocks") return { ...model, positions: [position] };
  if (view === "decay") return { ...model, positions: [0], distances: range(FARTHEST + 1) };
  if (view === "scaling") return { ...model, positions: [state.distance] };
  if (view === "pair") {
    const positions = range(position + 1);
    return { dim: 2, pairing: "interleaved", frequencies: [theta], vector: [x, y], positions };
  }
  if (view === "group") return composed(state, state.query);
  const eight = {
    dim: 8,
    base,
    pairing: /** @type {const} */ ("interleaved"),
    positions: POSITIONS,
    vector: QUERY,
    key: KEY,
  };
  return view === "scores" ? { ...eight, slide } : { ...eight, mix_pairings: true };
}

/**
 * One pair at the query's and at the key's position, and the product of two rotations: back by m, forth by n.
 * @param {Readonly<RopeState>} state
 * @param {number} m
 * @returns {import("../../api/types.js").Body<"rope">}
 */
function composed({ theta, query, key }, m) {
  const pair = { dim: 2, pairing: /** @type {const} */ ("interleaved"), frequencies: [theta] };
  return { ...pair, positions: [query, key], compose: [m, key] };
}

/**
 * The sky before anything moved; the product of two rotations forth; every way past the trained length.
 * @param {Readonly<RopeState>} state
 * @returns {RopeCall[]}
 */
export function also(state) {
  const { view, theta, dim, base, trained, factor } = state;
  if (view === "sky") return [{ stem: "rope", body: sky(theta, 0, 0, 0) }];
  if (view === "group") return [{ stem: "rope", body: composed(state, -state.query) }];
  if (view !== "scaling") return [];
  const body = { dim: Number(dim), base, trained_length: trained, factor, positions: scaledPositions(state) };
  return [{ stem: "rope/scaling", body }];
}

/** As many positions as can be drawn, and the chosen distance. @param {Readonly<RopeState>} state */
export function scaledPositions({ trained, factor, distance }) {
  const most = Math.max(Math.round(trained * factor), distance + 1);
  const step = Math.ceil(most / FARTHEST);
  const positions = [...new Set([...range(Math.ceil(most / step)).map((one) => one * step), distance])];
  return positions.sort((one, other) => one - other);
}

/**
 * The stars before anything moved, if requested; else as they are.
 * @param {RopeData} data
 */
export function starsBefore({ answer, others }) {
  return skyStars(furtherAnswer(others, "rotated") ?? answer);
}

/**
 * Where each star is after the rotation by its own position.
 * @param {{rotated: number[][]}} answer
 */
export function skyStars({ rotated }) {
  return rotated.map((pairs, star) => pairs.slice(2 * star, 2 * star + 2));
}

/** @param {number} count */
function range(count) {
  return Array.from({ length: count }, (_, index) => index);
}
