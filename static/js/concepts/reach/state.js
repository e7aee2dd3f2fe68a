/** The page of reach as data: its fields, the masks that a state draws, and the call that it makes. */

import { choice, matrix, whole } from "../../base/fields.js";
import { namedMask } from "./masks.js";

/** @typedef {import("../../base/fields.js").StateOf<typeof fields>} ReachState */
/** @typedef {import("../../api/types.js").AnswerTo<"reach">} ReachAnswer */
/** @typedef {import("../frame/concept.js").Answered<"reach", ReachState>} ReachData */
/** @typedef {import("./masks.js").Matrix} Matrix */

export const MOST_TOKENS = 12;
export const MOST_LAYERS = 6;
const EVERY = /** @type {const} */ ("every");
const LAYERS = /** @type {const} */ (["0", "1", "2", "3", "4", "5"]);

export const fields = {
  kind: choice(/** @type {const} */ (["window", "causal", "documents", "prefix", "strided", "full", "own"])),
  tokens: whole(8, 2, MOST_TOKENS),
  layers: whole(4, 1, MOST_LAYERS),
  window: whole(2, 1, MOST_TOKENS),
  drawn: matrix([], { least: 0, most: MOST_TOKENS - 1, rows: MOST_TOKENS ** 2, columns: 2 }),
  only: choice([EVERY, ...LAYERS]),
  mixing: choice(/** @type {const} */ (["none", "causal_convolution", "convolution", "norm_over_time"])),
  layer: whole(3, 0, MOST_LAYERS - 1),
  query: whole(7, 0, MOST_TOKENS - 1),
  key: whole(3, 0, MOST_TOKENS - 1),
};

/** Drawn cells of an address: pairs of positions, each once. @param {ReachState} state @returns {ReachState} */
export function settle(state) {
  const seen = new Set();
  const drawn = state.drawn.filter((cell) => {
    const isNew = cell.length === 2 && cell.every(Number.isInteger) && !seen.has(cell.join());
    seen.add(cell.join());
    return isNew;
  });
  return { ...state, drawn };
}

/**
 * The mask of each layer: the named one, with the drawn cells the other way round.
 * @param {Readonly<ReachState>} state
 * @returns {Matrix[]}
 */
export function masksOf({ kind, tokens, layers, window, drawn, only }) {
  const named = namedMask(kind, tokens, window);
  const changed = named.map((row) => [...row]);
  for (const [query, key] of drawn) if (query < tokens && key < tokens) changed[query][key] = !named[query][key];
  return Array.from({ length: layers }, (_, layer) => (only === EVERY || Number(only) === layer ? changed : named));
}

/** What one layer was meant to let through: a mask of one's own, nothing later. @param {Readonly<ReachState>} state */
export function intendedOf({ kind, tokens, window }) {
  return namedMask(kind === "own" ? "causal" : kind, tokens, window);
}

/** @param {Readonly<ReachState>} state @returns {import("../../api/types.js").Body<"reach">} */
export function request(state) {
  const masks = masksOf(state);
  const { mixing, layers, only } = state;
  return { masks: only === EVERY ? masks.slice(0, 1) : masks, layers, intended: intendedOf(state), mixing };
}

/** The layer shown: the last at most. @param {Readonly<ReachState>} state */
export function layerOf({ layer, layers }) {
  return Math.min(layer, layers - 1);
}

/** @param {Readonly<ReachState>} state */
export function within(state) {
  const { tokens, layers, only } = state;
  return {
    layer: layerOf(state),
    query: Math.min(state.query, tokens - 1),
    key: Math.min(state.key, tokens - 1),
    ...(only !== EVERY && Number(only) >= layers ? { only: LAYERS[layers - 1] } : {}),
  };
}

/**
 * The drawn cells, with one more that is open or shut.
 * @param {Readonly<ReachState>} state
 * @param {{row: number, column: number}} cell
 * @param {boolean} isOpen
 */
export function withCell({ drawn, kind, tokens, window }, { row, column }, isOpen) {
  const others = drawn.filter(([query, key]) => query !== row || key !== column);
  return namedMask(kind, tokens, window)[row][column] === isOpen ? others : [...others, [row, column]];
}

/** @type {import("../frame/concept.js").Buttons<ReachState>} */
export const buttons = {
  "#clear-drawn": ({ drawn }) => (drawn.length ? { drawn: [], only: EVERY } : null),
};

/** @type {import("../frame/concept.js").Dependents<ReachState>} */
export const dependents = {
  layers: (layers, { layer }) => ({ layer: Math.min(layer, layers - 1) }),
};

/** @type {import("../frame/concept.js").Choices<ReachData>} */
export const choices = { layer: ({ state }) => state.layers - 1 };
