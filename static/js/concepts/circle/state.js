/** The circle's page as data: its fields and the calls that a state makes. */

import { choice, flag, number, numbers, whole } from "../../base/fields.js";
import { MECHANISMS } from "../frame/core/attention.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} CircleState */
/** @typedef {import("../../api/types.js").AnswerTo<"circle">} CircleAnswer */

export const LONGEST = 10;
const MOST_KEYS = 24;
const MOST_QUERIES = 4;
const MOST_POSITION = 1000;
/** Where new queries appear. */
const NEW_ANGLES = [45, 0, 90, 200];
const ANGLES = { least: -3600, most: 3600 };
const LENGTHS = { least: 0, most: LONGEST };

const EVEN_ANGLES = [0, 36, 72, 108, 144, 180, 216, 252, 288, 324];
const EQUAL_LENGTHS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1];

/** @param {{rope: boolean}} state  positions count only where they turn something */
const isRotated = ({ rope }) => rope;
/** @param {{keyAngles: number[]}} state */
const isUneven = ({ keyAngles }) => !isSame(keyAngles, even(keyAngles.length));
const never = () => false;

/** Angles in degrees, counter-clockwise from the x-axis. Counts of keys and queries are those of their angles. */
export const fields = {
  queryAngles: { ...numbers([45], { ...ANGLES, count: MOST_QUERIES }), name: "q" },
  keys: { ...whole(10, 2, MOST_KEYS), name: "n" },
  queries: { ...whole(1, 1, MOST_QUERIES), isWritten: never },
  keyAngles: { ...numbers(EVEN_ANGLES, { ...ANGLES, count: MOST_KEYS }), name: "k", isWritten: isUneven },
  keyLengths: {
    ...numbers(EQUAL_LENGTHS, { ...LENGTHS, count: MOST_KEYS }),
    name: "lengths",
    isWritten: hasOther("keyLengths"),
  },
  queryLengths: {
    ...numbers([1], { ...LENGTHS, count: MOST_QUERIES }),
    name: "q_lengths",
    isWritten: hasOther("queryLengths"),
  },
  mechanism: choice(MECHANISMS),
  temperature: { ...number(1, 0.01, 100), name: "t" },
  /** Of the hidden layer of additive attention. */
  seed: whole(0, 0, 999),
  /** Whether positions rotate queries and keys. */
  rope: flag(),
  /** Radians a position. */
  theta: { ...number(0.5, 0, Math.PI), isWritten: isRotated },
  /** Key j has position j. */
  queryPosition: { ...number(4, 0, MOST_POSITION), name: "position", isWritten: isRotated },
  /** Added to every position. */
  shift: { ...number(0, 0, MOST_POSITION), isWritten: isRotated },
  query: whole(0, 0, MOST_QUERIES),
  key: whole(1, 0, MOST_KEYS),
  trail: flag(),
};

/** Whether a list has other lengths than 1. @param {string} name */
function hasOther(name) {
  return (/** @type {Record<string, number[]>} */ state) => state[name].some((length) => length !== 1);
}

/**
 * As many lengths as angles, and the chosen number of keys; values that do not fit are reset to their defaults.
 * @param {CircleState} state
 * @param {URLSearchParams} query
 * @returns {CircleState}
 */
export function settle(state, query) {
  const { keys, queryAngles, queryLengths, keyAngles, keyLengths } = state;
  const queries = queryAngles.length;
  return {
    ...state,
    queries,
    queryLengths: queryLengths.length === queries ? queryLengths : ones(queries),
    keyAngles: query.has("k") && keyAngles.length === keys ? keyAngles : even(keys),
    keyLengths: keyLengths.length === keys ? keyLengths : ones(keys),
    rope: state.rope || query.has("theta"), // which alone said so in older links
    query: Math.min(state.query, queries - 1),
    key: Math.min(state.key, keys - 1),
  };
}

/** @param {number} count */
function even(count) {
  return Array.from({ length: count }, (_, index) => (360 * index) / count);
}

/** @param {number} count */
function ones(count) {
  return Array.from({ length: count }, () => 1);
}

/**
 * More or fewer keys, evenly around; lengths stay with the first ones.
 * @param {number} keys
 * @param {Readonly<CircleState>} state
 */
function withKeys(keys, { keyLengths, key }) {
  return {
    keys,
    keyAngles: even(keys),
    keyLengths: ones(keys).map((one, index) => keyLengths[index] ?? one),
    key: Math.min(key, keys - 1),
  };
}

/**
 * More or fewer queries; the first ones stay.
 * @param {number} queries
 * @param {Readonly<CircleState>} state
 */
function withQueries(queries, { queryAngles, queryLengths, query }) {
  return {
    queries,
    queryAngles: ones(queries).map((_, index) => queryAngles[index] ?? NEW_ANGLES[index]),
    queryLengths: ones(queries).map((one, index) => queryLengths[index] ?? one),
    query: Math.min(query, queries - 1),
  };
}

/**
 * The state with another angle or length of one arrow.
 * @param {Readonly<CircleState>} state
 * @param {{kind: "query" | "key", index: number}} arrow
 * @param {{angle?: number, length?: number}} patch
 * @returns {Partial<CircleState>}
 */
export function withArrow(state, { kind, index }, { angle, length }) {
  const [angles, lengths] = LISTS[kind];
  const put = (/** @type {number[]} */ list, /** @type {number | undefined} */ value) =>
    list.map((old, at) => (at === index ? (value ?? old) : old));
  return { [angles]: put(state[angles], angle), [lengths]: put(state[lengths], length) };
}

/** Names of the fields for angles and lengths. */
export const LISTS = {
  query: /** @type {const} */ (["queryAngles", "queryLengths"]),
  key: /** @type {const} */ (["keyAngles", "keyLengths"]),
};

export const dependents = { keys: withKeys, queries: withQueries };

/** @param {unknown[]} list @returns {[string, string][]} */
const numbered = (list) => list.map((_, index) => [String(index), String(index)]);

/** @type {import("../frame/concept.js").Choices<{state: Readonly<CircleState>}>} */
export const choices = {
  query: ({ state }) => numbered(state.queryAngles),
  key: ({ state }) => numbered(state.keyAngles),
};

/**
 * The body of `POST /api/circle`.
 * @param {Readonly<import("../../base/fields.js").ValuesOf<typeof fields>>} state
 * @returns {import("../../api/types.js").Body<"circle">}
 */
export function request(state) {
  const { keyAngles, keyLengths, queryLengths, mechanism, temperature } = state;
  const n = keyAngles.length;
  return {
    n,
    query_angles_deg: state.queryAngles,
    ...(isSame(keyAngles, even(n)) ? {} : { key_angles_deg: keyAngles }),
    ...(isSame(keyLengths, ones(n)) ? {} : { lengths: keyLengths }),
    ...(isSame(queryLengths, ones(queryLengths.length)) ? {} : { query_lengths: queryLengths }),
    ...(mechanism === "additive" ? { mechanism, additive: { seed: state.seed } } : { mechanism }),
    temperature,
    ...(state.rope ? { turn: { ...positionsOf(state), theta: state.theta } } : {}),
  };
}

/** @param {Pick<CircleState, "queryAngles" | "keyAngles" | "queryPosition" | "shift">} state */
export function positionsOf({ queryAngles, keyAngles, queryPosition, shift }) {
  return {
    query_positions: queryAngles.map(() => queryPosition + shift),
    key_positions: keyAngles.map((_, index) => index + shift),
  };
}

/**
 * The hidden layer of additive attention, as the server draws it from a seed.
 * @param {Readonly<CircleState>} state
 * @returns {import("../../api/types.js").Call<"circle">[]}
 */
export function needs({ seed }) {
  return [{ stem: "circle", body: { n: 1, query_angles_deg: [0], mechanism: "additive", additive: { seed } } }];
}

/** The page computes all else by itself. @param {Readonly<CircleState>} state */
export function calls(state) {
  return state.mechanism === "additive" ? needs(state) : [];
}

/** @param {number} value @param {number} least @param {number} most */
export function bounded(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** @param {readonly number[]} one @param {readonly number[]} other */
function isSame(one, other) {
  return one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
}
