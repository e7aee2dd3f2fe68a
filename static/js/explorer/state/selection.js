/** Limit a selection to what an analysis has: a link may come from another text or another model. */

import { canMeasure } from "./measures/measure_groups.js";
import { countedTokens } from "../../wording/patches.js";

/** @typedef {import("../../api/types.js").Analysis} Analysis */
/** @typedef {import("../../api/types.js").Part} Part */
/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./view_state.js").ViewState} ViewState */

/**
 * @param {Analysis} analysis
 * @param {string} name  "" for the first
 * @returns {Part}
 */
export function partOf(analysis, name) {
  return analysis.parts.find((part) => part.name === name) ?? analysis.parts[0];
}

/**
 * The tokens that read and those that are read.
 * @param {Analysis} analysis
 * @param {Part} part
 * @param {0 | 1} [numbering]  of rows and columns of patches
 * @returns {{queries: Token[], keys: Token[]}}
 */
export function sidesOf(analysis, part, numbering = 0) {
  const side = (/** @type {"source" | "target"} */ name) =>
    name === "target" ? (analysis.target_tokens ?? analysis.tokens) : countedTokens(analysis.tokens, numbering);
  return { queries: side(part.query_side), keys: side(part.key_side) };
}

/**
 * A place chosen in one analysis, in another: null on a side that has not so many tokens.
 * @param {{queries: Token[], keys: Token[]}} sides
 * @param {import("../../charts/heat_map/cells.js").Pointed} place
 * @returns {import("../../charts/heat_map/cells.js").Pointed}
 */
export function placesIn({ queries, keys }, { query, key }) {
  return {
    query: query !== null && query < queries.length ? query : null,
    key: key !== null && key < keys.length ? key : null,
  };
}

/**
 * What stands in place of texts where tensors were given: their tokens. No model read them, so nothing is changed in one.
 * @param {Analysis} analysis
 * @returns {Pick<ViewState, "text" | "pair" | "target" | "picture">}
 */
export function textsOfTensors({ tokens }) {
  return { text: tokens.map((token) => token.text).join(" "), pair: "", target: "", picture: "" };
}

/**
 * The changes that make a state fit an analysis.
 * @param {Analysis} analysis
 * @param {ViewState} state
 * @returns {Partial<ViewState>}
 */
export function fit(analysis, state) {
  const part = partOf(analysis, state.part);
  const { queries } = sidesOf(analysis, part);
  const hasQuery = state.query !== null && state.query < part.query_tokens;
  return {
    part: part === analysis.parts[0] ? "" : part.name,
    layer: Math.min(state.layer, part.layers - 1),
    head: Math.min(state.head, part.heads - 1),
    query: hasQuery ? state.query : openingQuery(analysis, part, queries),
    key: hasQuery && state.key !== null && state.key < part.key_tokens ? state.key : null,
    ...writeWindow(readWindow(state, part), part),
    metric: state.metric in part.metrics || canMeasure(analysis, part, state.metric) ? state.metric : "",
    stage: part.stages.includes(state.stage) ? state.stage : "weights",
  };
}

/**
 * The query that every view begins with, unless one is chosen: where the model predicts a token, which of a decoder is
 * the last one, the only one that may attend to all others; else an image's first token, or the first word. The server
 * has the same rule (`server/pages/explorer_page.py`).
 * @param {Pick<Analysis, "image" | "predictions" | "target_tokens">} analysis
 * @param {Pick<Part, "causal" | "query_side">} part
 * @param {Token[]} queries
 * @returns {number}
 */
export function openingQuery({ image, predictions, target_tokens: targets }, { causal, query_side: side }, queries) {
  const predicted = predictions.find(({ kind }) => kind !== "class");
  if (predicted && side === (targets ? "target" : "source")) return predicted.index;
  if (causal) return queries.length - 1;
  const firstWord = image ? 0 : queries.findIndex((token) => !token.special);
  return Math.max(0, firstWord);
}

/**
 * "a:b" as a range inside 0…count; all of it where the text says nothing usable.
 * @param {string} text
 * @param {number} count
 * @returns {Range}
 */
export function parseRange(text, count) {
  const found = /^(\d{1,6}):(\d{1,6})$/.exec(text);
  if (!found) return [0, count];
  const first = Number(found[1]);
  const end = Math.min(Number(found[2]), count);
  return first < end ? [first, end] : [0, count];
}

/**
 * @param {Range} range
 * @param {number} count
 * @returns {string}  "" for all
 */
export function formatRange([first, end], count) {
  return first === 0 && end === count ? "" : `${first}:${end}`;
}

/**
 * The window of a map that is in view.
 * @param {Pick<ViewState, "rows" | "cols">} value
 * @param {Pick<Part, "query_tokens" | "key_tokens">} part
 * @returns {{rows: Range, cols: Range}}
 */
export function readWindow({ rows, cols }, part) {
  return { rows: parseRange(rows, part.query_tokens), cols: parseRange(cols, part.key_tokens) };
}

/**
 * @param {{rows: Range, cols: Range}} window
 * @param {Pick<Part, "query_tokens" | "key_tokens">} part
 * @returns {Pick<ViewState, "rows" | "cols">}
 */
export function writeWindow({ rows, cols }, part) {
  return { rows: formatRange(rows, part.query_tokens), cols: formatRange(cols, part.key_tokens) };
}
