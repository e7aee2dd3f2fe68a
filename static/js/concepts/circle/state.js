/** The circle's state: what stands in the URL, what the API is asked, and the figures to begin with. */

import { t } from "../../base/i18n.js";
import { MECHANISMS } from "../frame/attention.js";
import { readTheme } from "../../base/theme.js";

/** @typedef {import("../frame/attention.js").Mechanism} Mechanism */

/**
 * @typedef {object} CircleState
 * @property {number[]} queryAngles  degrees, counter-clockwise from the x-axis
 * @property {number[]} queryLengths
 * @property {number[]} keyAngles
 * @property {number[]} keyLengths
 * @property {Mechanism} mechanism
 * @property {number} temperature
 * @property {number} seed  of the additive hidden layer
 * @property {boolean} rope  whether positions turn queries and keys
 * @property {number} theta  radians a position
 * @property {number} queryPosition  key j stands at position j
 * @property {number} shift  added to every position
 * @property {number} query  the one looked at
 * @property {number} key
 * @property {boolean} trail  whether the way of the output is drawn
 * @property {number} step  of the calculation, from 1
 * @property {string} lang
 * @property {"" | "paper" | "night"} theme
 */

export const MOST_KEYS = 24;
export const FEWEST_KEYS = 2;
export const MOST_QUERIES = 4;
export const LONGEST = 10;
export const TEMPERATURES = /** @type {const} */ ([0.01, 100]);
export const STEPS = 5;
const MOST_POSITION = 1000;
/** Where new queries appear. */
const NEW_ANGLES = [45, 0, 90, 200];

/** @type {Readonly<CircleState>} */
export const DEFAULTS = Object.freeze({
  ...keysAround(10),
  queryAngles: [45],
  queryLengths: [1],
  mechanism: "dot",
  temperature: 1,
  seed: 0,
  rope: false,
  theta: 0.5,
  queryPosition: 4,
  shift: 0,
  query: 0,
  key: 1,
  trail: false,
  step: STEPS,
  lang: "",
  theme: "",
});

/** @param {number} count */
function keysAround(count) {
  return { keyAngles: even(count), keyLengths: ones(count) };
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
 * @param {number} count
 * @param {number} index  of the key that is five times as long
 */
function fiveTimes(count, index) {
  return { keyAngles: even(count), keyLengths: ones(count).map((one, at) => (at === index ? 5 : one)) };
}

/**
 * More or fewer keys, evenly around; lengths stay with the first ones.
 * @param {Readonly<CircleState>} state
 * @param {number} count
 */
export function withKeys(state, count) {
  const n = bounded(Math.round(count), FEWEST_KEYS, MOST_KEYS);
  const keyLengths = ones(n).map((one, index) => state.keyLengths[index] ?? one);
  return { keyAngles: even(n), keyLengths, key: Math.min(state.key, n - 1) };
}

/**
 * More or fewer queries; the first ones stay.
 * @param {Readonly<CircleState>} state
 * @param {number} count
 */
export function withQueries(state, count) {
  const m = bounded(Math.round(count), 1, MOST_QUERIES);
  const queryAngles = ones(m).map((_, index) => state.queryAngles[index] ?? NEW_ANGLES[index]);
  const queryLengths = ones(m).map((one, index) => state.queryLengths[index] ?? one);
  return { queryAngles, queryLengths, query: Math.min(state.query, m - 1) };
}

/** The figures of the curriculum, and what to notice in each. */
export function presets() {
  const { lang: _lang, theme: _theme, step: _step, ...plain } = DEFAULTS;
  return [
    {
      name: t("Ten keys"),
      notice: t("The nearer a key points to the query, the larger its weight: 0.212 at 36°, 0.029 at 216°."),
      state: plain,
    },
    {
      name: t("Three queries"),
      notice: t("Each query has its own row of ten weights and its own output; none knows of the others."),
      state: { ...plain, queryAngles: [45, 0, 90], queryLengths: [1, 1, 1] },
    },
    {
      name: t("A longer key gains"),
      notice: t(
        "Key 3 (108°) is five times as long: its weight rises from 0.124 to 0.466 and it pulls the output along.",
      ),
      state: { ...plain, ...fiveTimes(10, 3), key: 3 },
    },
    {
      name: t("A longer key loses"),
      notice: t(
        "Key 4 (144°) is five times as long, and its weight falls from 0.068 to 0.037: length amplifies the sign of the dot product.",
      ),
      state: { ...plain, ...fiveTimes(10, 4), key: 4 },
    },
    {
      name: t("Cosine"),
      notice: t(
        "Key 3 is five times as long, yet its weight stays 0.124: cosine sees the angle alone. The output still moves, because the value is long.",
      ),
      state: { ...plain, ...fiveTimes(10, 3), key: 3, mechanism: /** @type {const} */ ("cosine") },
    },
    {
      name: t("Cold"),
      notice: t("At temperature 0.02 nearly everything goes to the nearest key: softmax becomes a choice."),
      state: { ...plain, temperature: 0.02 },
    },
    {
      name: t("Hot"),
      notice: t("At temperature 50 every key gets about a tenth, and the output is their mean: almost the centre."),
      state: { ...plain, temperature: 50 },
    },
    {
      name: t("RoPE"),
      notice: t(
        "Positions turn query and keys. Move all positions together: the sky turns, the constellation keeps its shape, and every weight stays.",
      ),
      state: { ...plain, rope: true, trail: false, shift: 0 },
    },
  ];
}

/**
 * The body of `POST /api/circle`.
 * @param {Readonly<CircleState>} state
 */
export function requestOf(state) {
  const { keyAngles, keyLengths, queryLengths, mechanism, temperature } = state;
  const n = keyAngles.length;
  return {
    n,
    query_angles_deg: state.queryAngles,
    ...(isSame(keyAngles, even(n)) ? {} : { key_angles_deg: keyAngles }),
    ...(isSame(keyLengths, ones(n)) ? {} : { lengths: keyLengths }),
    ...(isSame(queryLengths, ones(queryLengths.length)) ? {} : { query_lengths: queryLengths }),
    mechanism,
    temperature,
    ...(mechanism === "additive" ? { additive: { seed: state.seed } } : {}),
    ...(state.rope ? { turn: { ...positionsOf(state), theta: state.theta } } : {}),
  };
}

/** @param {Readonly<CircleState>} state */
export function positionsOf({ queryAngles, keyAngles, queryPosition, shift }) {
  return {
    query_positions: queryAngles.map(() => queryPosition + shift),
    key_positions: keyAngles.map((_, index) => index + shift),
  };
}

/**
 * What the picture rests on is always written; the rest where it differs.
 * @param {Readonly<CircleState>} state
 */
export function write(state) {
  const { n, ...request } = requestOf(state);
  const query = new URLSearchParams({ q: state.queryAngles.join(","), n: String(n) });
  if (request.key_angles_deg) query.set("k", state.keyAngles.join(","));
  if (request.lengths) query.set("lengths", state.keyLengths.join(","));
  if (request.query_lengths) query.set("q_lengths", state.queryLengths.join(","));
  query.set("mechanism", state.mechanism);
  query.set("t", String(state.temperature));
  if (state.mechanism === "additive") query.set("seed", String(state.seed));
  if (state.rope) query.set("theta", String(state.theta));
  if (state.rope) query.set("position", String(state.queryPosition));
  if (state.rope) query.set("shift", String(state.shift));
  query.set("query", String(state.query));
  query.set("key", String(state.key));
  if (state.trail) query.set("trail", "1");
  if (state.step !== STEPS) query.set("step", String(state.step));
  if (state.lang) query.set("lang", state.lang);
  if (state.theme) query.set("theme", state.theme);
  return query;
}

/**
 * @param {string} search
 * @returns {CircleState}
 */
export function read(search) {
  const query = new URLSearchParams(search);
  const queryAngles = numbers(query.get("q"), -3600, 3600, 1, MOST_QUERIES) ?? DEFAULTS.queryAngles;
  const m = queryAngles.length;
  const n = Math.round(number(query.get("n"), FEWEST_KEYS, MOST_KEYS) ?? DEFAULTS.keyAngles.length);
  return {
    queryAngles,
    queryLengths: numbers(query.get("q_lengths"), 0, LONGEST, m, m) ?? ones(m),
    keyAngles: numbers(query.get("k"), -3600, 3600, n, n) ?? even(n),
    keyLengths: numbers(query.get("lengths"), 0, LONGEST, n, n) ?? ones(n),
    mechanism: MECHANISMS.find((one) => one === query.get("mechanism")) ?? DEFAULTS.mechanism,
    temperature: number(query.get("t"), ...TEMPERATURES) ?? DEFAULTS.temperature,
    seed: Math.round(number(query.get("seed"), 0, 999) ?? DEFAULTS.seed),
    rope: query.has("theta"),
    theta: number(query.get("theta"), 0, Math.PI) ?? DEFAULTS.theta,
    queryPosition: number(query.get("position"), 0, MOST_POSITION) ?? DEFAULTS.queryPosition,
    shift: number(query.get("shift"), 0, MOST_POSITION) ?? DEFAULTS.shift,
    query: bounded(Math.round(number(query.get("query"), 0, MOST_QUERIES) ?? 0), 0, m - 1),
    key: bounded(Math.round(number(query.get("key"), 0, MOST_KEYS) ?? DEFAULTS.key), 0, n - 1),
    trail: query.get("trail") === "1",
    step: Math.round(number(query.get("step"), 1, STEPS) ?? STEPS),
    lang: query.get("lang") ?? "",
    theme: readTheme(query.get("theme")),
  };
}

/**
 * @param {string | null} text
 * @param {number} least
 * @param {number} most
 * @returns {number | null}  null for what is no number between them
 */
function number(text, least, most) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return value >= least && value <= most ? value : null;
}

/**
 * @param {string | null} text
 * @param {number} least
 * @param {number} most
 * @param {number} fewest
 * @param {number} count  at most
 * @returns {number[] | null}
 */
function numbers(text, least, most, fewest, count) {
  const found = text === null ? [] : text.split(",").map((part) => number(part, least, most));
  return found.length >= fewest && found.length <= count && found.every((one) => one !== null)
    ? /** @type {number[]} */ (found)
    : null;
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function bounded(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function isSame(one, other) {
  return one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
}
