/** Image export: an SVG with its own styles, and a PNG made from it. */

import { svg } from "../base/dom.js";

/** Style properties to copy into an exported SVG. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "visibility",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "paint-order",
  "stroke-linejoin",
  "r",
];
const TAKEN_OFF = ["class", "tabindex", "role", "aria-label", "aria-valuemin", "aria-valuemax", "aria-valuenow"];
const EDGE = 16;
const HIGH = 560;
const PIXELS = 2;
/** Largest side that browsers can draw. */
const LONGEST = 16_000;

/**
 * Several SVGs side by side on the page's background, as one without style sheets.
 * @param {SVGSVGElement[]} pictures  as they stand in the page
 * @param {string} title
 * @returns {SVGSVGElement}
 */
export function standalone(pictures, title) {
  let x = EDGE;
  const placed = pictures.map((picture) => {
    const { width, height } = picture.viewBox.baseVal;
    const copy = styledCopy(picture);
    const [wide, high] = fitted(width, height);
    for (const [name, value] of Object.entries({ x, y: EDGE + (HIGH - high) / 2, width: wide, height: high })) {
      copy.setAttribute(name, String(value));
    }
    x += wide + EDGE;
    return copy;
  });
  const [width, height] = [x, HIGH + 2 * EDGE];
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", {}, title),
    svg("rect", { width, height, fill: ground }),
    ...placed,
  );
}

/**
 * @param {number} width
 * @param {number} height
 */
function fitted(width, height) {
  const share = Math.min(HIGH / height, HIGH / width);
  return [width * share, height * share];
}

/**
 * An SVG that needs no style sheet.
 * @param {SVGSVGElement} picture  as it stands in the page
 * @returns {SVGSVGElement}
 */
export function styledCopy(picture) {
  const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((one, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of STYLES) one.setAttribute(name, style.getPropertyValue(name));
    for (const name of [...TAKEN_OFF, ...one.getAttributeNames().filter((each) => each.startsWith("data-"))]) {
      one.removeAttribute(name);
    }
  });
  return copy;
}

/**
 * @param {SVGSVGElement} picture
 * @returns {Blob}
 */
export function svgFile(picture) {
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

/**
 * @param {SVGSVGElement} picture
 * @returns {Promise<Blob>}
 */
export async function pngFile(picture) {
  const address = URL.createObjectURL(svgFile(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
    const scale = Math.min(PIXELS, LONGEST / Math.max(width, height));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn")))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Downloads a file.
 * @param {Blob} file
 * @param {string} name
 */
export function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
