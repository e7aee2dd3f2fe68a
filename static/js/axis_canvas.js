/** The tokens along a matrix's sides, drawn on a canvas: as many as there is room for, at any length of the text. */

import { axisLabels } from "./cells.js";

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Token} Token */

/**
 * @typedef {object} Axes
 * @property {Token[]} queries
 * @property {Token[]} keys
 * @property {Range} rows  fractions of a token where the matrix moves
 * @property {Range} cols
 * @property {0 | 1} numbering
 * @property {{left: number, top: number, width: number, height: number}} inner  the plot, in pixels of the page
 * @property {string} font
 * @property {{query: string, key: string}} colors
 */

/** Pixels between a label and its row or column. */
const GAP = 5;

/** @type {WeakMap<HTMLCanvasElement, Axes>} */
const drawn = new WeakMap();

/**
 * What was drawn on a canvas last, for those who make a file of it.
 * @param {HTMLCanvasElement} canvas
 * @returns {Axes | undefined}
 */
export function axesOf(canvas) {
  return drawn.get(canvas);
}

/**
 * @param {CanvasRenderingContext2D} target  scaled to pixels of the page
 * @param {Axes} axes
 */
export function drawAxes(target, axes) {
  const { queries, keys, rows, cols, numbering, inner, font, colors } = axes;
  drawn.set(target.canvas, axes);
  const { left, top, width, height } = inner;
  target.font = font;
  target.textBaseline = "middle";
  target.textAlign = "right";
  target.fillStyle = colors.query;
  for (const { text, share } of labelsOf(queries, rows, height, numbering)) {
    target.fillText(text, left - GAP, top + share * height);
  }
  target.textAlign = "left";
  target.fillStyle = colors.key;
  for (const { text, share } of labelsOf(keys, cols, width, numbering)) {
    target.save();
    target.translate(left + share * width, top - GAP);
    target.rotate(-Math.PI / 2);
    target.fillText(text, 0, 0);
    target.restore();
  }
}

/**
 * The labels of one side with their places, as shares of it; those of tokens cut off at an end are left out.
 * @param {Token[]} tokens
 * @param {Range} range
 * @param {number} length  pixels
 * @param {0 | 1} numbering
 * @returns {{text: string, share: number}[]}
 */
export function labelsOf(tokens, [first, end], length, numbering) {
  const whole = /** @type {Range} */ ([Math.max(0, Math.floor(first)), Math.min(tokens.length, Math.ceil(end))]);
  const { at, text } = axisLabels(tokens, whole, length, numbering);
  return at
    .map((token, index) => ({ text: text[index], share: (token + 0.5 - first) / (end - first) }))
    .filter(({ share }) => share >= 0 && share <= 1);
}
