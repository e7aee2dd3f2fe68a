/** The tokens along a matrix's sides, drawn on a canvas: as many as fit, for texts of any length. */

import { atTypeSize } from "../../base/theme/type_scale.js";
import { LABEL_ROOM, axisLabels } from "./cells.js";

/** @typedef {import("../../base/decode.js").Range} Range */
/** @typedef {import("../../api/types.js").Token} Token */

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

/** Pixels between a label and its row or column, and to the edge of the canvas. */
const GAP = 5;
const EDGE = 1;
/** Largest number of cached widths. */
const KEPT = 20_000;

/** @type {Map<string, number>}  by font and text */
const widths = new Map();

/** @typedef {{text: string, share: number}} Label  and how far along its side it stands */
/** @typedef {Axes & {rowLabels: Label[], colLabels: Label[]}} DrawnAxes */

/** @type {WeakMap<HTMLCanvasElement, DrawnAxes>} */
const drawn = new WeakMap();

/**
 * The axes last drawn on a canvas, for export.
 * @param {HTMLCanvasElement} canvas
 * @returns {DrawnAxes | undefined}
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
  const { left, top, width, height } = inner;
  target.font = font;
  const measure = rulerOf(target);
  const line = atTypeSize(LABEL_ROOM);
  const down = { length: height, room: left - GAP - EDGE, width: measure, line };
  const across = { length: width, room: top - GAP - EDGE, width: measure, line };
  const rowLabels = labelsOf(queries, rows, down, numbering);
  const colLabels = labelsOf(keys, cols, across, numbering);
  drawn.set(target.canvas, { ...axes, rowLabels, colLabels });
  target.textBaseline = "middle";
  target.textAlign = "right";
  target.fillStyle = colors.query;
  for (const { text, share } of rowLabels) target.fillText(text, left - GAP, top + share * height);
  target.textAlign = "left";
  target.fillStyle = colors.key;
  for (const { text, share } of colLabels) {
    target.save();
    target.translate(left + share * width, top - GAP);
    target.rotate(-Math.PI / 2);
    target.fillText(text, 0, 0);
    target.restore();
  }
}

/**
 * Measures texts in the current font, each once.
 * @param {CanvasRenderingContext2D} target
 * @returns {(text: string) => number}
 */
function rulerOf(target) {
  const { font } = target;
  return (text) => {
    const key = `${font}\n${text}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    if (widths.size >= KEPT) widths.clear();
    const { width } = target.measureText(text);
    widths.set(key, width);
    return width;
  };
}

/**
 * The labels of one side with their positions as shares of it, without those of tokens cut off at an end.
 * @param {Token[]} tokens
 * @param {Range} range
 * @param {import("./cells.js").Ruler} ruler
 * @param {0 | 1} numbering
 * @returns {Label[]}
 */
function labelsOf(tokens, [first, end], ruler, numbering) {
  const whole = /** @type {Range} */ ([Math.max(0, Math.floor(first)), Math.min(tokens.length, Math.ceil(end))]);
  return axisLabels(tokens, whole, ruler, numbering)
    .map(({ at, text }) => ({ text, share: (at + 0.5 - first) / (end - first) }))
    .filter(({ share }) => share >= 0 && share <= 1);
}
