/**
 * The chosen cell of a head in one sentence that a newcomer understands: whose attention goes where, and how much of it.
 * Everything that it says follows from the row of numbers that is shown.
 */

import { t } from "../base/i18n.js";
import { exact, fixed } from "../base/numbers.js";
import { stageName, tokenLabel } from "./labels.js";
import { isScore } from "./stage_words.js";
import { apartSign } from "./token_apart.js";
import { isolated } from "./token_text.js";

/** @typedef {import("../api/types.js").Token} Token */

/**
 * @typedef {object} Cell  of a head, and the row in which it stands
 * @property {Token} query
 * @property {Token[]} queries  among which it is
 * @property {Token[]} keys
 * @property {number | null} key  its place among the keys; null for the largest of the row
 * @property {Float32Array} row  a number for each key, −∞ where it is masked
 * @property {import("../api/types.js").Stage} stage
 * @property {0 | 1} numbering
 * @property {boolean} isCross  whether queries and keys are of two texts
 * @property {boolean} isCausal  whether the mask hides all later tokens
 * @property {number} heads  whose mean is shown
 * @property {boolean} isChanged  whether the model was changed
 * @property {boolean} isOff  whether this head is switched off
 * @property {"" | "hidden" | "renormalised"} hiding  special tokens: whether the others keep their share
 * @property {boolean} isGiven  whether the weights were uploaded, which need not add up to 1
 * @property {boolean} hasSink  whether a learned sink takes a share of each row
 *
 * @typedef {string | {label: string, side: "query" | "key"}} Piece
 */

/** Sums this close to 1 are 1. */
const NEAR = 1e-3;
/** Share from which it is said that heads rest on such a token. */
const MOSTLY = 0.5;
/** A share that is worth a word. */
const SAID = 0.005;
const QUERY = "\u0001";
const KEY = "\u0002";

/**
 * @param {Cell} cell
 * @returns {Piece[]}  the sentence, in which the two tokens are apart
 */
export function cellSentence(cell) {
  const { query, queries, keys, numbering } = cell;
  const key = cell.key ?? largestOf(cell.row);
  const text = mainSentence(cell, key);
  return text
    .split(/([\u0001\u0002])/)
    .filter(Boolean)
    .map((piece) => {
      if (piece === QUERY) return { label: nameOf(queries, query, numbering), side: "query" };
      if (piece === KEY) return { label: nameOf(keys, keys[key], numbering), side: "key" };
      return piece;
    });
}

/**
 * What a row and a column of the picture are.
 * @param {Pick<Cell, "stage" | "isCross" | "row" | "hiding" | "hasSink" | "isGiven">} cell
 */
export function rowAndColumn({ stage, isCross, ...cell }) {
  const axes = isCross
    ? t("A row is a token that the decoder has written (the query), a column a token of the input (a key).")
    : t("A row is the token that attends (the query), a column a token that it may attend to (a key).");
  if (isScore(stage)) return [axes, t("Softmax turns a row into weights.")];
  if (stage !== "weights" || cell.hasSink || cell.hiding === "hidden" || !addsUp(cell.row)) return [axes];
  return [axes, t("A row adds up to 100 %.")];
}

/**
 * @param {Cell} cell
 * @param {number} key  its place
 */
function mainSentence(cell, key) {
  const { row, stage } = cell;
  const value = row[key];
  const values = { where: whereOf(cell), query: QUERY, key: KEY };
  if (value === -Infinity) return maskedSentence(cell, key, values);
  if (isScore(stage)) return scoreSentence(cell, key, values);
  if (stage === "weights") return weightSentence(cell, key, values);
  const length = { ...values, length: exact(value) };
  if (stage === "value_weighted")
    return t(
      "{where}, “{query}” receives a vector of length {length} from “{key}”: weight × length of the value.",
      length,
    );
  return t("{where}, what reaches “{query}” from “{key}” has the length {length} after the output projection.", length);
}

/**
 * @param {Cell} cell
 * @param {number} key
 * @param {Record<string, string>} values
 */
function maskedSentence({ keys, query, isCross, isCausal }, key, values) {
  const isLater = !isCross && isCausal && keys[key].index > query.index;
  return isLater
    ? t(
        "“{query}” cannot attend to “{key}”: that comes later, and no token attends to a later one in this model.",
        values,
      )
    : t("The mask keeps “{query}” from attending to “{key}”.", values);
}

/**
 * @param {Cell} cell
 * @param {number} key
 * @param {Record<string, string>} values
 */
function scoreSentence({ row, stage }, key, values) {
  const known = row.filter((value) => Number.isFinite(value));
  const rank = 1 + known.filter((value) => value > row[key]).length;
  const score = { ...values, stage: stageName(stage), score: exact(row[key]), rank, count: known.length };
  return rank === 1
    ? t("{where}, query “{query}” and key “{key}” score {score}, the largest of its row.", score)
    : t("{where}, query “{query}” and key “{key}” score {score}, number {rank} of {count} in its row.", score);
}

/**
 * @param {Cell} cell
 * @param {number} key
 * @param {Record<string, string>} values
 */
function weightSentence(cell, key, values) {
  const { row, hiding, hasSink, isGiven, isChanged } = cell;
  const weight = row[key];
  const said = { ...values, share: percent(weight), weight: exact(weight), sum: fixed(sumOf(row), 2) };
  const allowed = row.filter((value) => value > -Infinity);
  const isSelf = !cell.isCross && cell.keys[key].index === cell.query.index;
  if (sumOf(row) === 0 && hiding === "") return t("{where}, “{query}” attends to nothing: its whole row is 0.", said);
  if (hiding === "renormalised")
    return t("{where}, of the attention that “{query}” gives to the tokens shown, {share} goes to “{key}”.", said);
  const isShare = addsUp(row) || (!isGiven && (hasSink || (hiding === "hidden" && !isChanged)));
  if (!isShare)
    return t("{where}, “{query}” attends to “{key}” with {weight}; its row adds up to {sum}, not to 1.", said);
  if (allowed.length === 1 && row.length > 1 && addsUp(row)) {
    return isSelf
      ? t("{where}, “{query}” may attend to nothing but itself, so all of its attention stays there.", said)
      : t("{where}, “{query}” may attend to nothing but “{key}”, so it gets all of its attention.", said);
  }
  if (isSelf) return t("{where}, “{query}” gives {share} of its attention to itself.", said);
  return cell.key === null
    ? t("{where}, “{query}” attends most to “{key}”: with {share} of its attention.", said)
    : t("{where}, “{query}” gives {share} of its attention to “{key}”.", said);
}

/**
 * What a newcomer might misread without it.
 * @param {Cell} cell
 * @returns {string[]}
 */
export function caveats(cell) {
  const { keys, row, stage, isCross, isOff, hasSink, hiding } = cell;
  const key = cell.key ?? largestOf(row);
  /** @type {string[]} */
  const said = [];
  const weight = stage === "weights" ? row[key] : 0;
  const isSelf = !isCross && keys[key].index === cell.query.index;
  if (weight >= MOSTLY && !isSelf && !isCross) {
    if (keys[key].special) said.push(t("Heads often rest on a special token when they find nothing to look for."));
    else if (keys[key].index === 0)
      said.push(t("Heads often rest on the first token when they find nothing to look for."));
  }
  const left = 1 - sumOf(row);
  if (stage === "weights" && hasSink && hiding === "" && left >= SAID)
    said.push(t("The head's learned sink takes {share}, which goes to no token.", { share: percent(left) }));
  if (isOff) said.push(t("The head is switched off: nothing of this reaches the output."));
  return said;
}

/** @param {Cell} cell */
function whereOf({ heads, isChanged }) {
  if (heads > 1) {
    return isChanged
      ? t("On average over {count} heads of the changed model", { count: heads })
      : t("On average over {count} heads", { count: heads });
  }
  return isChanged ? t("In this head of the changed model") : t("In this head");
}

/**
 * @param {Token[]} tokens
 * @param {Token} token
 * @param {0 | 1} numbering
 */
function nameOf(tokens, token, numbering) {
  return isolated(tokenLabel(token)) + apartSign(tokens, token, numbering);
}

/**
 * A share in whole percent; neither 0 nor 100 unless it is.
 * @param {number} share
 */
function percent(share) {
  if (share > 0 && share < SAID) return t("less than 1 %");
  if (share < 1 - NEAR && share >= 1 - SAID) return t("more than 99 %");
  return t("{share} %", { share: fixed(100 * share, 0) });
}

/** @param {Float32Array} row */
function largestOf(row) {
  return row.reduce((best, value, index) => (value > row[best] ? index : best), 0);
}

/** Of what is not masked. @param {Float32Array} row */
function sumOf(row) {
  return row.reduce((sum, value) => (value > -Infinity ? sum + value : sum), 0);
}

/** @param {Float32Array} row */
function addsUp(row) {
  return Math.abs(sumOf(row) - 1) < NEAR;
}
