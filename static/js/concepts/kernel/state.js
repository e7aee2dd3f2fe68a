/** The kernel page as data: its fields and the call that a state makes. */

import { choice, matrix, number, whole } from "../../base/fields.js";

const MOST_POINTS = 10;
export const FAR = 3;
export const READINGS = ["rbf", "polynomial", "attention"];
const SIX = [
  [1.5, 0.5],
  [0.5, 1.2],
  [-1, 0.8],
  [-1.4, -0.6],
  [0.2, -1.3],
  [1.1, -0.7],
];

export const fields = {
  points: matrix(SIX, { least: -FAR, most: FAR, rows: MOST_POINTS, columns: 2 }),
  gamma: number(0.5, 0.01, 100),
  degree: whole(2, 1, 8),
  constant: number(1, -5, 5),
  turn: number(0, -180, 180),
  stretch: number(1, 0, 10),
  reading: choice(READINGS),
  query: whole(0, 0, MOST_POINTS - 1),
  key: whole(1, 0, MOST_POINTS - 1),
};

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} KernelState */
/** @typedef {import("../../api/types.js").AnswerTo<"kernel">} KernelAnswer */
/** @typedef {(typeof READINGS)[number]} Reading */

/**
 * W_q: a turn and a stretch, with few enough digits to be typed.
 * @param {Pick<KernelState, "turn" | "stretch">} state
 */
export function queryWeight({ turn, stretch }) {
  const angle = (turn * Math.PI) / 180;
  const short = (/** @type {number} */ value) => Number((stretch * value).toFixed(6)) + 0;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [
    [short(cos), short(-sin)],
    [short(sin), short(cos)],
  ];
}

/**
 * The body of `POST /api/kernel`.
 * @param {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} state
 */
export function request(state) {
  const { points, gamma, degree, constant } = state;
  // Points of one number only, as a URL may say, are refused there with a reason.
  const size = points[0].length === 2 ? { query_weight: queryWeight(state) } : {};
  return { points, gamma, degree, constant, ...size };
}

/**
 * @typedef {object} KernelData
 * @property {Readonly<KernelState>} state  within what the answer has
 * @property {KernelAnswer} answer
 * @property {Record<Reading, {weights: number[][], output: number[][]}>} readings
 */

/** @param {Readonly<KernelState>} state @param {KernelAnswer} answer */
export function within({ query, key }, { points }) {
  return { query: Math.min(query, points.length - 1), key: Math.min(key, points.length - 1) };
}

/** @param {{state: Readonly<KernelState>, answer: KernelAnswer}} data @returns {KernelData} */
export function lookedAt({ state, answer }) {
  const { rbf, polynomial, attention } = answer;
  return { state, answer, readings: { rbf, polynomial, attention } };
}

/** @type {import("../frame/concept.js").Buttons<KernelState>} */
export const buttons = {
  /** Along a spiral, so that new points do not hide old ones. */
  "#more": ({ points }) => {
    if (points.length >= MOST_POINTS) return null;
    const angle = points.length * 2.4;
    const point = [1.8 * Math.cos(angle), 1.8 * Math.sin(angle)].map((one) => Number(one.toFixed(2)));
    return { points: [...points, point] };
  },
  "#fewer": ({ points }) => (points.length <= 1 ? null : { points: points.slice(0, -1) }),
};
