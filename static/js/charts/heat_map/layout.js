/** Layout of a matrix on the page, with space for its labels. */

import { shortLabel } from "./cells.js";
import { plotSize } from "./geometry.js";
import { atTypeSize } from "../../base/theme/type_scale.js";
import { context } from "../thumbnail_sheet.js";
import { apartSign } from "../../wording/token_apart.js";

/** @typedef {import("../../api/types.js").Token} Token */

const EDGE = 6;
/** Sizes of labels, at the standard size of type. */
const LABEL = { size: 12, least: 30, most: 104, gap: 12 };
/** Up to this many tokens, each is labelled, even on a phone. */
const FEW = 16;
/** Number of labels measured: those with the most letters are the widest to within a pixel or two. */
const MEASURED = 48;

/** @type {WeakMap<Token[], Map<string, number>>} */
const known = new WeakMap();

/**
 * @param {HTMLElement} element  in which it stands
 * @param {Pick<import("./heat_map.js").MatrixData, "rows" | "cols" | "queries" | "keys" | "numbering">} data
 */
export function shapeOf(element, { rows, cols, queries, keys, numbering }) {
  const font = `${atTypeSize(LABEL.size)}px ${getComputedStyle(element).fontFamily}`;
  const left = marginOf(queries, numbering, font);
  const top = marginOf(keys, numbering, font);
  const room = Math.max(element.clientWidth - left - EDGE, 80);
  const plot = plotSize(rows[1] - rows[0], cols[1] - cols[0], room, Math.min(mostHeight(element) - top - EDGE, room));
  return { inner: { left, top, ...plot }, width: plot.width + left + EDGE, height: plot.height + top + EDGE, font };
}

/** Of a plot with its labels: it grows with the screen, without what is above and below it. @param {HTMLElement} element */
function mostHeight(element) {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue("--map-height"));
}

/**
 * Space for the labels of one side: that of the widest, so that nothing shifts while panning.
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
  const isFew = tokens.length <= FEW;
  const written = tokens.map((one) => shortLabel(one) + (isFew ? apartSign(tokens, one, numbering) : ""));
  const labels = [...new Set(written)].sort((one, other) => other.length - one.length);
  // If not every token is labelled, labels end in their number.
  const last = tokens.reduce((most, { index }) => Math.max(most, index), 0);
  const number = isFew ? 0 : ruler.measureText(` ${last + numbering}`).width;
  const widest = labels.slice(0, MEASURED).reduce((most, label) => Math.max(most, ruler.measureText(label).width), 0);
  const wanted = Math.max(widest + number + atTypeSize(LABEL.gap), atTypeSize(LABEL.least));
  return Math.ceil(Math.min(wanted, atTypeSize(LABEL.most)));
}
