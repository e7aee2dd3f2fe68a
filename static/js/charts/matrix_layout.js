/** Places and sizes in a small matrix: cells share the width there is, between what their numbers need and what is large. */

import { plainMaths } from "../base/maths/maths_text.js";
import { fixed, small } from "../base/numbers.js";

/** @typedef {import("./matrix.js").MatrixMark} MatrixMark */

/**
 * @typedef {object} Layout
 * @property {string[]} rows  names
 * @property {string[]} columns
 * @property {string[][]} texts  numbers as written
 * @property {number} left  of the first cell
 * @property {number} top
 * @property {number} wide  a cell
 * @property {number} high
 * @property {number} every  only every second, fifth … column is labelled, so that labels do not overlap
 * @property {boolean} hasNumbers
 * @property {boolean} isSlanted  names of columns are wider than their columns
 * @property {boolean} isRoomy  cells are large, and so is their type
 * @property {boolean} isTight  numbers fill their cells
 * @property {number} below  where the line with the chosen cell's number stands; 0: there is none
 * @property {number} width  of the whole
 * @property {number} height
 */

/** A cell's height at least and at most, in pixels. */
const [LOW, TALL] = [26, 46];
/** A cell's width: without numbers, and at most. */
const [NARROW, BROAD] = [22, 96];
/** At most, without numbers. */
const SQUARE = 34;
/** Rows grow while all together are no higher than this, unless told otherwise: a matrix stays on the first screen. */
const MOST_HEIGHT = 320;
/** Width of a letter, and of a letter where cells are large. */
const [PER_SIGN, PER_LARGE_SIGN] = [6.6, 8];
/** Of the line that says the chosen cell's number, in pixels. */
const READOUT = 22;
/** How much smaller type is where numbers fill their cells. */
const TIGHTER = 11 / 12;
/** With more cells than this in a row they are too narrow for numbers. */
const MOST_NUMBERS = 24;
/** Narrower cells, in pixels, are not seen or hit; a wider matrix scrolls. */
const FEWEST = 16;
/** How far a slanted name of so many pixels reaches, up and to the right. */
const SLANT = Math.SQRT1_2;

/**
 * @param {MatrixMark} data
 * @param {number} [room]  width of the place; as wide as it needs unless given
 * @param {number} [mostHeight]
 * @returns {Layout}
 */
export function layoutOf(data, room, mostHeight = MOST_HEIGHT) {
  const large = room ? measured(data, { room, mostHeight, perSign: PER_LARGE_SIGN }) : null;
  return large?.isRoomy ? large : measured(data, { room, mostHeight, perSign: PER_SIGN });
}

/**
 * @param {MatrixMark} data
 * @param {{room?: number, mostHeight: number, perSign: number}} place  `perSign`: width of a letter
 * @returns {Layout}
 */
function measured(
  { values, rows, columns, digits = 2, axes = "", scale = "plain", hasMaths, chosen },
  { room, mostHeight, perSign },
) {
  const count = values[0].length;
  const counted = (/** @type {unknown[]} */ list) => list.map((_, index) => String(index));
  const plain = (/** @type {string[]} */ names) => (hasMaths ? names.map(plainMaths) : names);
  const [rowNames, columnNames] = [plain(rows ?? counted(values)), plain(columns ?? counted(values[0]))];
  const texts = values.map((row) => row.map((value) => textOf(value, digits)));
  const signs = perSign * Math.max(...texts.flat().map((text) => text.length));
  const names = perSign * Math.max(...columnNames.map(lengthOf));
  const left = 12 + perSign * Math.max(...rowNames.map(lengthOf));
  const crowded = Math.max(NARROW, 3 + TIGHTER * signs);
  const even = room ? (room - left - 2) / count : Infinity;
  // A slanted name of the last column reaches beyond it.
  const isSlanted = count <= MOST_NUMBERS && even < names + 4;
  const beyond = isSlanted ? SLANT * names : 0;
  const shared = even - beyond / count;
  // Colours say enough where numbers do not fit; without colours the matrix scrolls.
  const hasNumbers = count <= MOST_NUMBERS && (scale === "plain" || shared >= crowded || shared < FEWEST);
  const least = hasNumbers ? crowded : Math.min(NARROW, FEWEST, 480 / count);
  const usual = hasNumbers ? Math.max(NARROW, 10 + Math.max(signs, names)) : Math.min(NARROW, 480 / count);
  const wide = room ? Math.min(Math.max(shared, least), Math.max(usual, hasNumbers ? BROAD : SQUARE)) : usual;
  const high = hasNumbers ? Math.max(LOW, Math.min(0.62 * wide, TALL, mostHeight / values.length)) : LOW;
  const top = (axes ? 18 : 2) + (isSlanted ? 12 + SLANT * names : 12 + perSign);
  const bottom = top + high * values.length + 2;
  const hasReadout = !hasNumbers && chosen && chosen.row >= 0 && chosen.column >= 0;
  return {
    rows: rowNames,
    columns: columnNames,
    texts,
    left,
    top,
    wide,
    high,
    hasNumbers,
    isSlanted,
    every: isSlanted ? 1 : stepFor((names + perSign) / wide),
    isRoomy: perSign === PER_LARGE_SIGN && hasNumbers && wide >= 10 + Math.max(signs, names) && high >= 32,
    isTight: hasNumbers && wide < 10 + signs,
    width: Math.max(left + wide * count + 2 + beyond, left + PER_SIGN * lengthOf(axes)),
    below: hasReadout ? bottom + 16 : 0,
    height: bottom + (hasReadout ? READOUT : 0),
  };
}

/** @param {number} needed @returns {number}  1, 2, 5, 10, 20 … */
function stepFor(needed) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(needed, 1)));
  return [1, 2, 5, 10].map((factor) => factor * ten).find((step) => step >= needed) ?? 10 * ten;
}

/** Width in letters; Japanese letters count twice. @param {string} text */
function lengthOf(text) {
  return [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e80 ? 1.9 : 1), 0);
}

/**
 * Thousands without decimals, numbers too large for a cell as a power of ten.
 * @param {number | string} cell
 * @param {number} digits
 */
export function textOf(cell, digits) {
  const value = Number(cell);
  if (Math.abs(value) === 1e5) return `${value < 0 ? "−" : ""}10⁵`; // what some code adds for −∞
  if (Number.isFinite(value) && Math.abs(value) >= 1e6) return small(value);
  return fixed(value, Math.abs(value) >= (Number.isInteger(value) ? 1000 : 5e4) ? 0 : digits);
}
