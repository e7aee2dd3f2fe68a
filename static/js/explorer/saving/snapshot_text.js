/** Copy text of the page into SVG text, with the same line breaks. */

import { svg } from "../../base/dom.js";
import { context } from "../../charts/thumbnail_sheet.js";

/** @typedef {{text: string, left: number, right: number, top: number, bottom: number}} Line */

/**
 * @param {Text} node
 * @param {CSSStyleDeclaration} style  of the element that it stands in
 * @param {Element} element
 * @returns {SVGElement[]}
 */
export function textLines(node, style, element) {
  if (!node.data.trim()) return [];
  const isCut = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
  const share = isCut ? element.clientWidth / element.scrollWidth : 1;
  const ruler = context(document.createElement("canvas"));
  ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ruler.measureText("x");
  const isLeftward = style.direction === "rtl";
  return linesOf(node).map(({ text, left, right, top, bottom }) =>
    svg(
      "text",
      {
        x: isLeftward ? right : left,
        y: (top + bottom - up - down) / 2 + up,
        fill: style.color,
        direction: isLeftward ? "rtl" : null,
        "font-family": style.fontFamily,
        "font-size": style.fontSize,
        "font-weight": style.fontWeight,
        "font-style": style.fontStyle === "normal" ? null : style.fontStyle,
      },
      isCut ? `${text.slice(0, Math.max(1, Math.floor(text.length * share) - 1))}…` : text,
    ),
  );
}

/**
 * @param {Text} node
 * @returns {Line[]}
 */
function linesOf(node) {
  const range = document.createRange();
  range.setStart(node, node.data.length - node.data.trimStart().length);
  range.setEnd(node, node.data.trimEnd().length);
  const rects = [...range.getClientRects()];
  if (rects.length === 0) return [];
  const whole = { text: tidy(node.data), ...edges(rects[0]) };
  if (rects.every((rect) => Math.abs(rect.top - rects[0].top) < 2))
    return [{ ...whole, right: rects.at(-1)?.right ?? 0 }];
  /** @type {Line[]} */
  const lines = [];
  for (const match of node.data.matchAll(/\S+\s*/gu)) {
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].trimEnd().length);
    const rect = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.top - rect.top) < 2) {
      last.text = tidy(`${last.text} ${match[0]}`);
      last.right = rect.right;
    } else lines.push({ text: tidy(match[0]), ...edges(rect) });
  }
  return lines;
}

/** @param {DOMRect} rect */
function edges({ left, right, top, bottom }) {
  return { left, right, top, bottom };
}

/** @param {string} text */
function tidy(text) {
  return text.replace(/\s+/gu, " ").trim();
}
