/**
 * Which tokens of two runs belong together: by the characters they stand for, where both read the same text; where one
 * model reads two texts, by the tokens of both; where two models read two texts, by the words of both. Attention *to*
 * joined tokens is the sum over them, attention *from* them the mean, as for words (`arrangement.js`).
 */

import { pairedUnits, range } from "./common_sequence.js";
import { tokenLabel, tokenText } from "../../wording/labels.js";
import { isolated } from "../../wording/token_text.js";
import { jointLines, lineOf } from "./character_lines.js";

/** @typedef {import("../../base/decode.js").Matrix} Matrix */
/** @typedef {import("../../api/types.js").Token} Token */
/** @typedef {import("./character_lines.js").CharacterLine} CharacterLine */
/** @typedef {{first: number[], second: number[]}} Unit  tokens of both that belong together, in order */

/**
 * @typedef {object} Alignment
 * @property {Unit[]} units  in the order of the texts
 * @property {{first: number[], second: number[]}} alone  tokens that have no counterpart
 * @property {boolean} isIdentity  every token belongs to the one of the same index
 * @property {boolean} isOneToOne  no unit joins several tokens
 */

/**
 * Tokens of two models that read the same text.
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {string[]} texts  by segment
 * @returns {Alignment | null}  null where it is not known which characters tokens stand for
 */
export function alignByCharacters(first, second, texts) {
  if (isSame(first, second)) return identity(first.length);
  const line = lineOf(texts);
  return alignByPlaces(first, second, [line, line]);
}

/**
 * Tokens of two models that read two texts: those that cover the same characters of a word that both texts have, and
 * all of a word with all of the word in its place.
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {string[]} texts  by segment
 * @param {string[]} others
 * @returns {Alignment | null}  null where it is not known which characters tokens stand for
 */
export function alignByWords(first, second, texts, others) {
  return alignByPlaces(first, second, jointLines(texts, others));
}

/**
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {[CharacterLine, CharacterLine]} lines  on which tokens of both that overlap belong together
 * @returns {Alignment | null}
 */
function alignByPlaces(first, second, lines) {
  if (first.some(({ box }) => box) || second.some(({ box }) => box)) return null;
  const sides = [placesOf(first, lines[0]), placesOf(second, lines[1])];
  if (sides.some((places) => places === null)) return null;
  const placed = sides.flatMap((places, side) => (places ?? []).map((place, index) => ({ ...place, side, index })));
  placed.sort((a, b) => a.start - b.start || a.end - b.end || a.side - b.side);
  /** @type {(Unit & {end: number})[]} */
  const groups = [];
  for (const { start, end, side, index } of placed) {
    const last = groups.at(-1);
    const group = last && start < last.end ? last : { first: [], second: [], end };
    if (group !== last) groups.push(group);
    group.end = Math.max(group.end, end);
    group[side === 0 ? "first" : "second"].push(index);
  }
  return alignmentOf(groups, first.length === second.length);
}

/**
 * Tokens of one model that read two texts: those that both have, and between them what was put in place of what.
 * @param {Token[]} first
 * @param {Token[]} second
 * @returns {Alignment}
 */
export function alignBySequence(first, second) {
  if (isSame(first, second)) return identity(first.length);
  const nameOf = (/** @type {Token} */ { id, special, segment, box }) => `${id} ${special} ${segment} ${box ?? ""}`;
  return alignmentOf(pairedUnits(first.map(nameOf), second.map(nameOf)), first.length === second.length);
}

/**
 * A matrix over units: summed over the keys that belong together, averaged over the queries.
 * @param {Matrix} matrix  every query and key, one token a cell
 * @param {number[][]} queries  of each unit
 * @param {number[][]} keys
 * @returns {Matrix}
 */
export function pooled(matrix, queries, keys) {
  const [height, width] = [queries.length, keys.length];
  const values = new Float32Array(height * width);
  queries.forEach((rows, place) => {
    keys.forEach((cols, other) => {
      let sum = 0;
      for (const row of rows) for (const col of cols) sum += matrix.values[row * matrix.width + col];
      values[place * width + other] = sum / rows.length;
    });
  });
  return { ...matrix, values, height, width, rows: [0, height], cols: [0, width], cellRows: 1, cellCols: 1 };
}

/**
 * The units as tokens that can be shown, named by both where they differ; each has the place of the run that is shown.
 * @param {Alignment} alignment
 * @param {Token[]} first
 * @param {Token[]} second
 * @param {"first" | "second"} shown  whose tokens give the index
 * @returns {Token[]}
 */
export function unitTokens({ units }, first, second, shown) {
  return units.map((unit) => {
    const parts = { first: unit.first.map((index) => first[index]), second: unit.second.map((index) => second[index]) };
    const [firstText, secondText] = [textOf(parts.first), textOf(parts.second)];
    // A blank in front belongs to the spelling of one vocabulary, not to the characters.
    const isAlike = firstText.trim().toLocaleLowerCase() === secondText.trim().toLocaleLowerCase();
    const own = parts[shown];
    const labels = { first: labelOf(parts.first), second: labelOf(parts.second) };
    const label = isAlike ? labels[shown] : `${isolated(labels.first)} | ${isolated(labels.second)}`;
    return own.length === 1 && isAlike ? own[0] : { ...own[0], label };
  });
}

/** @param {Token[]} parts */
function labelOf(parts) {
  return joinedBy(parts, tokenLabel);
}

/** @param {Token[]} parts */
function textOf(parts) {
  return joinedBy(parts, tokenText);
}

/**
 * Of a character that is cut into bytes every piece has the whole: it is said once.
 * @param {Token[]} parts
 * @param {(token: Token) => string} say
 */
function joinedBy(parts, say) {
  return parts.reduce((said, part, index) => {
    const before = parts[index - 1];
    if (!before) return say(part);
    if (part.start !== null && part.start === before.start && part.end === before.end) return said;
    return said + (part.start === before.end ? "" : " ") + say(part);
  }, "");
}

/**
 * @param {Unit[]} groups
 * @param {boolean} isAsLong
 * @returns {Alignment}
 */
function alignmentOf(groups, isAsLong) {
  const units = groups
    .filter(({ first, second }) => first.length > 0 && second.length > 0)
    .map(({ first, second }) => ({ first, second }));
  const alone = {
    first: groups.filter(({ second }) => second.length === 0).flatMap(({ first }) => first),
    second: groups.filter(({ first }) => first.length === 0).flatMap(({ second }) => second),
  };
  const isOneToOne = units.every(({ first, second }) => first.length === 1 && second.length === 1);
  const isAtPlace = units.every(({ first, second }) => first[0] === second[0]);
  const isIdentity = isAsLong && isOneToOne && isAtPlace && alone.first.length === 0 && alone.second.length === 0;
  return { units, alone, isIdentity, isOneToOne };
}

/** @param {number} count @returns {Alignment} */
function identity(count) {
  const units = range(0, count).map((index) => ({ first: [index], second: [index] }));
  return { units, alone: { first: [], second: [] }, isIdentity: true, isOneToOne: true };
}

/**
 * Whether two runs have the same tokens of the same characters.
 * @param {Token[]} first
 * @param {Token[]} second
 */
function isSame(first, second) {
  if (first === second) return true;
  return (
    first.length === second.length &&
    first.every((token, index) => {
      const other = second[index];
      return (
        token.token === other.token &&
        token.text === other.text &&
        token.special === other.special &&
        token.segment === other.segment &&
        token.start === other.start &&
        token.end === other.end &&
        String(token.box) === String(other.box)
      );
    })
  );
}

/**
 * Where each token stands on one line on which all texts follow each other, with room between them for the tokens that
 * stand for no characters. Blanks around a token are left out of its place, since vocabularies put them elsewhere.
 * @param {Token[]} tokens
 * @param {CharacterLine} line
 * @returns {{start: number, end: number}[] | null}
 */
function placesOf(tokens, { texts, placeOf, slotBefore }) {
  const isPlaced = (/** @type {Token} */ { start, end }) => start !== null && end !== null && end > start;
  if (tokens.some((token) => !token.special && !isPlaced(token)) && !tokens.some(isPlaced)) return null;
  if (tokens.some((token) => isPlaced(token) && (token.end ?? 0) > (texts[token.segment ?? 0]?.length ?? 0)))
    return null;
  const bare = tokens.map((token) => {
    if (!isPlaced(token)) return null;
    const text = texts[token.segment ?? 0];
    let [start, end] = [Number(token.start), Number(token.end)];
    while (start < end && isBlank(text[start])) start++;
    while (end > start && isBlank(text[end - 1])) end--;
    return end > start ? placeOf(token.segment ?? 0, start, end) : null;
  });
  /** The slot between the texts that a token with a role stands in: before the first, behind the second … */
  const slotOf = (/** @type {number} */ index) => {
    const before =
      range(0, index)
        .reverse()
        .find((other) => isPlaced(tokens[other])) ?? -1;
    const slot = slotBefore(before < 0 ? 0 : (tokens[before].segment ?? 0) + 1);
    return { start: slot, end: slot + 1 };
  };
  return tokens.map((token, index) => {
    const own = bare[index];
    if (own) return own;
    if (token.special && !isPlaced(token)) return slotOf(index);
    // A token of blanks alone goes with what follows it, or else with what it follows.
    const isNear = (/** @type {number} */ other) =>
      bare[other] !== null && bare[other] !== undefined && tokens[other].segment === token.segment;
    const next = range(index + 1, tokens.length).find((other) => bare[other] !== null || tokens[other].special);
    if (next !== undefined && isNear(next)) return /** @type {{start: number, end: number}} */ (bare[next]);
    const before = range(0, index)
      .reverse()
      .find((other) => bare[other] !== null);
    if (before !== undefined && isNear(before)) return /** @type {{start: number, end: number}} */ (bare[before]);
    return isPlaced(token) ? placeOf(token.segment ?? 0, Number(token.start), Number(token.end)) : slotOf(index);
  });
}

/** @param {string | undefined} sign */
function isBlank(sign) {
  return sign !== undefined && /^[\s\p{Z}]$/u.test(sign);
}
