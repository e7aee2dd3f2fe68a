/** How large a matrix is on the page, with the room that its labels need. */

import { shortLabel } from "./cells.js";
import { plotSize } from "./geometry.js";
import { context } from "../thumbnail_sheet.js";

/** @typedef {import("../../api/types.js").Token} Token */

const LABEL_SIZE = 12;
const PLOT_HEIGHT = { least: 320, most: 640 };
/** What stands above and below the plot on a screen that shows it whole. */
const SURROUNDINGS = 490;
const EDGE = 6;
const LEAST = 30;
const MOST = 104;
const GAP = 12;
/** So few tokens that each is labelled, on a phone too. */
const FEW = 16;
/** Labels that are measured; the longest in letters are the widest but for a pixel or two. */
const MEASURED = 48;

/** @type {WeakMap<Token[], Map<string, number>>} */
const known = new WeakMap();

/**
 * @param {HTMLElement} element  in which it stands
 * @param {Pick<import("./heat_map.js").MatrixData, "rows" | "cols" | "queries" | "keys" | "numbering">} data
 */
export function shapeOf(element, { rows, cols, queries, keys, numbering }) {
  const font = `${LABEL_SIZE}px ${getComputedStyle(element).fontFamily}`;
  const left = marginOf(queries, numbering, font);
  const top = marginOf(keys, numbering, font);
  const room = Math.max(element.clientWidth - left - EDGE, 80);
  const plot = plotSize(rows[1] - rows[0], cols[1] - cols[0], room, Math.min(mostHeight(), room));
  return { inner: { left, top, ...plot }, width: plot.width + left + EDGE, height: plot.height + top + EDGE, font };
}

function mostHeight() {
  return Math.min(Math.max(innerHeight - SURROUNDINGS, PLOT_HEIGHT.least), PLOT_HEIGHT.most);
}

/**
 * Room for the labels of one side: that of the widest of all, so that nothing shifts while one moves.
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 * @param {string} font
 * @returns {number}  pixels
 */
function marginOf(tokens, numbering, font) {
  const widths = known.get(tokens) ?? new Map();
  known.set(tokens, widths);
  const key = `${numbering} ${font}`;
  const found = widths.get(key) ?? measure(tokens, numbering, font);
  widths.set(key, found);
  return found;
}

/**
 * @param {Token[]} tokens
 * @param {0 | 1} numbering
 * @param {string} font
 */
function measure(tokens, numbering, font) {
  const ruler = context(document.createElement("canvas"));
  ruler.font = font;
  const labels = [...new Set(tokens.map(shortLabel))].sort((one, other) => other.length - one.length);
  // Where not every token is labelled, the label ends in its number.
  const last = tokens.reduce((most, { index }) => Math.max(most, index), 0);
  const number = tokens.length > FEW ? ruler.measureText(` ${last + numbering}`).width : 0;
  const widest = labels.slice(0, MEASURED).reduce((most, label) => Math.max(most, ruler.measureText(label).width), 0);
  return Math.ceil(Math.min(Math.max(widest + number + GAP, LEAST), MOST));
}
