/** What stands above a picture: its title, and a line about it. */

import { svg } from "../../base/dom.js";
import { context } from "../../charts/thumbnail_sheet.js";

const TITLE = { size: 20, line: 30, note: 13 };
export const TITLES_HEIGHT = TITLE.line + 2 * TITLE.note;

/**
 * @param {{title: string, note: string}} words
 * @param {Record<string, string>} font
 * @param {number} edge  pixels around the picture
 */
export function titles({ title, note }, font, edge) {
  return [
    svg("text", { x: edge, y: edge + TITLE.size, ...font, "font-size": TITLE.size, "font-weight": 600 }, title),
    svg("text", { x: edge, y: edge + TITLE.line + TITLE.note, ...font, "font-size": TITLE.note }, note),
  ];
}

/**
 * @param {string} note
 * @param {string} family  of the font
 * @returns {number}  pixels
 */
export function noteWidth(note, family) {
  const ruler = context(document.createElement("canvas"));
  ruler.font = `${TITLE.note}px ${family}`;
  return ruler.measureText(note).width;
}
