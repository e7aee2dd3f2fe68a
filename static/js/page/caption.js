/** Words under a picture, in lines as wide as it is. */

import { svg } from "../base/dom.js";
import { context } from "../charts/thumbnail_sheet.js";

const TYPE = 18;
const LINE = 26;
const EDGE = 16;

/**
 * @param {SVGSVGElement} picture  without style sheets, with a width and a height
 * @param {string} text
 * @returns {SVGSVGElement}  a picture of both
 */
export function captioned(picture, text) {
  const [width, high] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const { fontFamily, color } = getComputedStyle(document.body);
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  const ruler = context(document.createElement("canvas"));
  ruler.font = `${TYPE}px ${fontFamily}`;
  const measure = (/** @type {string} */ part) => ruler.measureText(part).width;
  const lines = wrapped(text, width - 2 * EDGE, measure, document.documentElement.lang);
  const height = high + lines.length * LINE + EDGE;
  const type = { fill: color, "font-family": fontFamily, "font-size": TYPE };
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width, height, fill: ground }),
    picture,
    ...lines.map((line, index) => svg("text", { x: EDGE, y: high + index * LINE + TYPE, ...type }, line)),
  );
}

/**
 * A text in lines: broken between words, which in Japanese no blanks part; never before a mark that closes.
 * @param {string} text
 * @param {number} width
 * @param {(part: string) => number} measure
 * @param {string} language
 * @returns {string[]}
 */
export function wrapped(text, width, measure, language) {
  const lines = [];
  let line = "";
  for (const piece of unbroken(text, language)) {
    if (line.trim() !== "" && measure((line + piece).trimEnd()) > width) {
      lines.push(line.trim());
      line = "";
    }
    line += piece;
  }
  return line.trim() === "" ? lines : [...lines, line.trim()];
}

/**
 * Words, each with the marks and blanks that follow it and the brackets before it.
 * @param {string} text
 * @param {string} language
 */
function unbroken(text, language) {
  /** @type {string[]} */
  const pieces = [];
  let opened = "";
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: "word" }).segment(text)) {
    const isMark = !isWordLike && pieces.length > 0;
    if (/^[([{「『（“‘]$/.test(segment)) opened += segment;
    else if (isMark && opened === "" && !/\s$/.test(pieces[pieces.length - 1])) pieces[pieces.length - 1] += segment;
    else {
      pieces.push(opened + segment);
      opened = "";
    }
  }
  return opened === "" ? pieces : [...pieces, opened];
}
