/** Aligned positions as labels, and a cell of them in the address. */

import { tokenLabel } from "../../wording/labels.js";
import { visible } from "../../wording/token_text.js";

/** @typedef {import("../../api/prompts.js").AlignedPosition} AlignedPosition */
/** @typedef {import("../../api/types.js").Token} Token */

/** Texts in a label; where others stand there too, it ends with …. */
const NAMED = 2;
const MOST_PRIMES = 3;

/** @type {WeakMap<object, Token[]>} */
const known = new WeakMap();

/**
 * Positions as tokens of a heat map: the same list for the same positions.
 * @param {AlignedPosition[]} positions
 * @returns {Token[]}
 */
export function positionTokens(positions) {
  const tokens = known.get(positions) ?? positions.map(tokenOf);
  known.set(positions, tokens);
  return tokens;
}

/**
 * A position in words, told apart from others with the same token.
 * @param {AlignedPosition[]} positions
 * @param {string} align  the rule by which they are aligned
 * @param {number} index
 * @param {0 | 1} numbering
 */
export function positionName(positions, align, index, numbering) {
  const label = tokenLabel(positionTokens(positions)[index]);
  const { slot, offset } = positions[index];
  if (slot !== null) return label;
  return `${label} ${align === "end" ? `−${-offset}` : offset + numbering}`;
}

/**
 * The query and the key of a cell, in words.
 * @param {Pick<import("../../api/prompts.js").PromptWeights, "positions" | "key_positions" | "align">} found
 * @param {{query: number, key: number}} cell
 * @param {0 | 1} numbering
 */
export function cellNames({ positions, key_positions: keys, align }, cell, numbering) {
  return {
    query: positionName(positions, align, cell.query, numbering),
    key: positionName(keys, align, cell.key, numbering),
  };
}

/**
 * @param {AlignedPosition} position
 * @param {number} index
 * @param {AlignedPosition[]} positions
 * @returns {Token}
 */
function tokenOf({ offset, slot, texts, variants, special }, index, positions) {
  const text = texts[0] ?? "";
  const token = { index: offset, id: 0, text, start: null, end: null, special, segment: 0 };
  if (slot !== null) {
    const before = positions.slice(0, index).filter((position) => position.slot === slot).length;
    return { ...token, label: `{${slot}}${again(before)}` };
  }
  if (variants <= 1) return token;
  const named = texts.slice(0, NAMED).map((text) => visible(text));
  return { ...token, label: [...named, ...(variants > NAMED ? ["…"] : [])].join("|") };
}

/**
 * What tells a slot's second place from its first: {A}, {A}′, {A}″.
 * @param {number} before  places before this one
 */
function again(before) {
  return before > MOST_PRIMES ? ` (${before + 1})` : "′".repeat(before);
}

/**
 * The cell of the address, if the alignment has it.
 * @param {string} text  "query.key"
 * @returns {{query: number, key: number} | null}
 */
export function parseCell(text) {
  const match = /^(\d{1,5})\.(\d{1,5})$/u.exec(text);
  return match ? { query: Number(match[1]), key: Number(match[2]) } : null;
}
