/** Copy blocks of a page into one SVG that needs no style sheet: text as text, shapes as shapes, canvases as images. */

import { axesOf } from "../../charts/heat_map/axis_canvas.js";
import { cssColor, mix } from "../../base/theme/color.js";
import { need, svg } from "../../base/dom.js";
import { styledCopy } from "../../page/image_file.js";
import { boxShapes } from "./snapshot_box.js";
import { textLines } from "./snapshot_text.js";
import { TITLES_HEIGHT, noteWidth, titles } from "./snapshot_titles.js";
import { scaleStops, tokenColor } from "../../base/theme/theme.js";

/** @typedef {import("../../charts/heat_map/axis_canvas.js").Axes} Axes */

const EDGE = 24;
const GAP = 12;
/** Most cells that are drawn as shapes. */
const MOST_SHAPES = 4096;
/** Controls and what is said about them, which an image leaves out. */
const SKIPPED =
  "input, select, textarea, .button, .plot-tools, summary, .visually-hidden, .matrix-tip, .matrix-cells, .matrix-axes, .matrix-hatch, .series-close, .readout-hint, [hidden]";
const PSEUDO = /** @type {const} */ (["::before", "::after"]);
const TURNED = /^matrix\((?!1, 0, 0, 1,)/;

/**
 * Blocks of the page, arranged as on the page, without the gaps between them.
 * @param {Element[]} blocks
 * @param {{title: string, note: string} | null} words  above them; null for none
 * @param {string | null} ground  a colour; null for none
 * @returns {SVGSVGElement}
 */
export function snapshot(blocks, words, ground) {
  const scrolled = scrolledAround(blocks);
  for (const { element } of scrolled) element.scrollTop = 0; // what sticks to an edge goes back to its place
  try {
    return picture(blocks, words, ground);
  } finally {
    for (const { element, top } of scrolled) element.scrollTop = top;
  }
}

/** @param {Element[]} blocks */
function scrolledAround(blocks) {
  const around = new Set();
  for (const block of blocks) {
    for (let element = block.parentElement; element && element !== document.body; element = element.parentElement) {
      if (element.scrollTop > 0) around.add(element);
    }
  }
  return [...around].map((element) => ({ element, top: element.scrollTop }));
}

/**
 * @param {Element[]} blocks
 * @param {{title: string, note: string} | null} words
 * @param {string | null} ground
 * @returns {SVGSVGElement}
 */
function picture(blocks, words, ground) {
  const placed = blocks.map((block) => ({ block, box: extent(block) }));
  const left = Math.min(...placed.map(({ box }) => box.left));
  let y = EDGE + (words ? TITLES_HEIGHT : 0);
  const groups = rowsOf(placed).map((row) => {
    const top = Math.min(...row.map(({ box }) => box.top));
    const bottom = Math.max(...row.map(({ box }) => box.bottom));
    const shapes = row.flatMap(({ block }) => drawn(block, null));
    const group = svg("g", { transform: `translate(${EDGE - left} ${y - top})` }, ...shapes);
    y += bottom - top + GAP;
    return group;
  });
  const page = getComputedStyle(document.body);
  const font = { "font-family": page.fontFamily, fill: page.color };
  const right = Math.max(
    ...placed.map(({ box }) => box.right),
    left + (words ? noteWidth(words.note, page.fontFamily) : 0),
  );
  const width = Math.ceil(right - left + 2 * EDGE);
  const height = Math.ceil(y - GAP + EDGE);
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    words && svg("title", {}, words.title),
    ground && svg("rect", { width, height, fill: ground }),
    ...(words ? titles(words, font, EDGE) : []),
    ...groups,
  );
}

/**
 * The extent of the content of a block, which may be smaller than its box.
 * @param {Element} block
 */
function extent(block) {
  const boxes = [...block.children].map((child) => child.getBoundingClientRect()).filter((box) => box.width > 0);
  const inner =
    boxes.length > 0 && !block.matches("table, p, svg, .matrix-frame") ? boxes : [block.getBoundingClientRect()];
  return {
    left: Math.min(...inner.map((box) => box.left)),
    right: Math.max(...inner.map((box) => box.right)),
    top: Math.min(...inner.map((box) => box.top)),
    bottom: Math.max(...inner.map((box) => box.bottom)),
  };
}

/**
 * Groups blocks that are side by side into rows.
 * @param {{block: Element, box: ReturnType<typeof extent>}[]} placed
 */
function rowsOf(placed) {
  /** @type {(typeof placed)[]} */
  const rows = [];
  for (const entry of [...placed].sort((a, b) => a.box.top - b.box.top)) {
    const last = rows.at(-1);
    const bottom = Math.max(...(last ?? []).map(({ box }) => box.bottom));
    if (last && entry.box.top < bottom - 1) last.push(entry);
    else rows.push([entry]);
  }
  return rows;
}

/**
 * @param {Element} element
 * @param {DOMRect | null} clip  the visible rectangle
 * @returns {(SVGElement | null)[]}
 */
function drawn(element, clip) {
  if (element.matches(SKIPPED)) return [];
  const style = getComputedStyle(element);
  // An element without a box of its own, as rows of a grid are, may hold some that have one.
  const isBoxless = style.display === "contents";
  if (!isBoxless && !element.checkVisibility({ visibilityProperty: true })) return [];
  if (element instanceof HTMLElement && TURNED.test(style.transform)) return [turned(element, style, clip)];
  const box = element.getBoundingClientRect();
  if (!isBoxless && clip && (box.bottom < clip.top + 1 || box.top > clip.bottom - 1)) return [];
  if (element instanceof HTMLCanvasElement) return [image(element, box)];
  /** @type {(SVGElement | null)[]} */
  const shapes = isBoxless ? [] : boxShapes(element, box, style);
  if (element instanceof SVGSVGElement) return [...shapes, placedCopy(element, box)];
  if (element.matches(".matrix-frame")) shapes.push(...matrix(element, box));
  if (element.matches(".legend-bar")) shapes.push(...bar(element, box));
  shapes.push(...PSEUDO.flatMap((which) => pseudoShapes(element, which, box)));
  const isClipping = style.overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1;
  const inner = isClipping ? box : clip;
  for (const child of element.childNodes) {
    if (child instanceof Element) shapes.push(...drawn(child, inner));
    else if (child instanceof Text) shapes.push(...textLines(child, style, element));
  }
  return style.opacity === "1" ? shapes : [svg("g", { opacity: style.opacity }, ...shapes)];
}

/**
 * An element that is rotated, drawn as it is without that, and rotated then.
 * @param {HTMLElement} element
 * @param {CSSStyleDeclaration} style
 * @param {DOMRect | null} clip
 */
function turned(element, style, clip) {
  const { transform } = style;
  const [across, down] = style.transformOrigin.split(" ").map(Number.parseFloat);
  const before = element.style.transform;
  element.style.transform = "none";
  try {
    const { left, top } = element.getBoundingClientRect();
    const [x, y] = [left + across, top + down];
    const about = `translate(${x} ${y}) ${transform} translate(${-x} ${-y})`;
    return svg("g", { transform: about }, ...drawn(element, clip));
  } finally {
    element.style.transform = before;
  }
}

/**
 * A shape that a style sheet places inside an element.
 * @param {Element} element
 * @param {(typeof PSEUDO)[number]} which
 * @param {DOMRect} box
 */
function pseudoShapes(element, which, box) {
  const style = getComputedStyle(element, which);
  if (style.content !== '""' || style.display === "none" || style.position !== "absolute") return [];
  const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(Number.parseFloat);
  const place = { left: box.left + element.clientLeft + left, top: box.top + element.clientTop + top, width, height };
  return boxShapes(element, place, style);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{left: number, top: number, width: number, height: number}} box
 */
function image(canvas, { left: x, top: y, width, height }) {
  if (canvas.width === 0 || canvas.height === 0) return null;
  const sizes = { x, y, width, height, preserveAspectRatio: "none", "image-rendering": "pixelated" };
  return svg("image", { ...sizes, href: canvas.toDataURL("image/png") });
}

/**
 * @param {SVGSVGElement} picture
 * @param {DOMRect} box
 */
function placedCopy(picture, { left, top, width, height }) {
  const copy = styledCopy(picture);
  for (const [name, value] of Object.entries({ x: left, y: top, width, height }))
    copy.setAttribute(name, String(value));
  return copy;
}

/**
 * A matrix with its labels as text, and its cells as shapes where they are few.
 * @param {Element} frame
 * @param {DOMRect} box
 * @returns {(SVGElement | null)[]}
 */
function matrix(frame, box) {
  const preview = /** @type {HTMLCanvasElement | null} */ (frame.querySelector(".matrix-cells"));
  const labels = /** @type {HTMLCanvasElement | null} */ (frame.querySelector(".matrix-axes"));
  const axes = labels && axesOf(labels);
  if (!preview || !axes) return [];
  const { inner, colors, font, rowLabels, colLabels } = axes;
  const plot = { left: box.left + inner.left, top: box.top + inner.top, width: inner.width, height: inner.height };
  const ground = { x: plot.left, y: plot.top, width: plot.width, height: plot.height };
  const hatch = need(frame, ".matrix-hatch");
  const look = { "font-size": Number.parseFloat(font), "font-family": getComputedStyle(frame).fontFamily };
  const rowNames = rowLabels.map(({ text, share }) => {
    const place = { x: plot.left - 5, y: plot.top + share * plot.height };
    return svg("text", { ...place, ...look, fill: colors.query, "text-anchor": "end", dy: "0.35em" }, text);
  });
  const colNames = colLabels.map(({ text, share }) => {
    const transform = `translate(${plot.left + share * plot.width} ${plot.top - 5}) rotate(-90)`;
    return svg("text", { transform, ...look, fill: colors.key, dy: "0.35em" }, text);
  });
  const edge = cssColor(tokenColor("--color-line"));
  return [
    ...boxShapes(hatch, hatch.getBoundingClientRect(), getComputedStyle(hatch)),
    svg("rect", { ...ground, fill: "none", stroke: edge }),
    ...cells(preview, plot, axes),
    ...rowNames,
    ...colNames,
  ];
}

/**
 * @param {HTMLCanvasElement} preview
 * @param {{left: number, top: number, width: number, height: number}} plot
 * @param {Axes} axes
 * @returns {(SVGElement | null)[]}
 */
function cells(preview, plot, { rows, cols }) {
  const [down, across] = [rows[1] - rows[0], cols[1] - cols[0]];
  const isFew = [...rows, ...cols].every(Number.isInteger) && down * across <= MOST_SHAPES;
  if (!isFew || preview.width === 0) return [image(preview, plot)];
  const pixels = readable(preview);
  const { data, width: wide } = pixels.getImageData(0, 0, preview.width, preview.height);
  const size = { width: plot.width / across, height: plot.height / down };
  return Array.from({ length: down * across }, (_, index) => {
    const [row, col] = [Math.floor(index / across), index % across];
    const pixel = Math.floor(((row + 0.5) * preview.height) / down) * wide;
    const offset = 4 * (pixel + Math.floor(((col + 0.5) * preview.width) / across));
    const [red, green, blue, alpha] = data.subarray(offset, offset + 4);
    const place = { x: plot.left + col * size.width, y: plot.top + row * size.height };
    const fill = cssColor([red, green, blue]);
    return alpha === 0 ? null : svg("rect", { ...place, ...size, fill, "shape-rendering": "crispEdges" });
  });
}

/**
 * A copy of the canvas: reading the original would slow down drawing on the page.
 * @param {HTMLCanvasElement} canvas
 */
function readable(canvas) {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const target = copy.getContext("2d", { willReadFrequently: true });
  if (!target) throw new Error("this browser has no 2d canvas");
  target.drawImage(canvas, 0, 0);
  return target;
}

/**
 * The legend's scale.
 * @param {Element} element
 * @param {DOMRect} box
 * @returns {SVGElement[]}
 */
function bar(element, { left, top, width, height }) {
  const stops = scaleStops(element.matches(".is-signed") ? "signed" : "weight");
  const wide = width / (8 * stops.length);
  return Array.from({ length: 8 * stops.length }, (_, index) => {
    const fill = cssColor(mix(stops, index / (8 * stops.length - 1)));
    return svg("rect", { x: left + index * wide, y: top, width: wide + 0.5, height, fill });
  });
}
