/** Copy the box of an element into SVG: background, bars, stripes, borders, shadows and outline. */

import { plainColor } from "../../base/theme/color.js";
import { svg } from "../../base/dom.js";

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

const SHADOW = /((?:rgba?|color)\([^)]*\)) (-?[\d.]+)px (-?[\d.]+)px 0px (-?[\d.]+)px( inset)?/g;
const CLEAR = /^(rgba|color)\(.*[,/] 0\)$|^transparent$/;
const STOP = /((?:rgba?|color)\([^)]*\)) (-?[\d.]+)px/g;

/**
 * @param {Element} element
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @returns {SVGElement[]}
 */
export function boxShapes(element, box, style) {
  const { left: x, top: y, width, height } = box;
  const rx = Number.parseFloat(style.borderTopLeftRadius) || null;
  const { rings, insets } = shadows(box, style.boxShadow, rx);
  const isClear = CLEAR.test(style.backgroundColor);
  return [
    ...rings,
    ...(isClear ? [] : [svg("rect", { x, y, width, height, rx, fill: plainColor(style.backgroundColor) })]),
    ...images(box, style),
    ...insets,
    ...borders(box, style),
    ...outline(element, box, style, rx ?? 0),
  ];
}

/**
 * A length of a computed style: its percents of a whole, and its pixels.
 * @param {string} text  such as "calc(80% - 13px)"
 * @param {number} whole
 * @returns {number}
 */
export function lengthOf(text, whole) {
  let sum = 0;
  for (const [, sign, number, unit] of text.matchAll(/([-+]?) ?([\d.]+)(px|%)/g)) {
    sum += (sign === "-" ? -1 : 1) * (unit === "%" ? (Number(number) / 100) * whole : Number(number));
  }
  return sum;
}

/**
 * Where a background of one colour stands that is placed and sized, as bars under numbers are.
 * @param {Box} box
 * @param {{image: string, position: string, size: string}} background  of a computed style
 * @returns {{x: number, y: number, width: number, height: number, fill: string} | null}
 */
export function barOf({ left, top, width, height }, { image, position, size }) {
  const colors = image.startsWith("linear-gradient(") ? (image.match(/(?:rgba?|color)\([^)]*\)/g) ?? []) : [];
  if (colors.length === 0 || colors.some((color) => color !== colors[0])) return null;
  const [across, down] = pairOf(size);
  const wide = across === "auto" ? width : lengthOf(across, width);
  const high = down === "auto" ? height : lengthOf(down, height);
  const [right, below] = pairOf(position);
  const [x, y] = [left + lengthOf(right, width - wide), top + lengthOf(below, height - high)];
  return { x, y, width: wide, height: high, fill: plainColor(colors[0]) };
}

/** Two lengths, the second "auto" where it is left out. @param {string} text */
function pairOf(text) {
  const [first, second = "auto"] = text.match(/calc\([^)]*\)|[^ ]+/g) ?? [];
  return [first ?? "auto", second];
}

/**
 * The bands of a repeating gradient.
 * @param {string} image  of a computed style
 * @returns {{angle: number, period: number, bands: {from: number, to: number, fill: string}[]} | null}  in pixels, degrees
 */
export function bandsOf(image) {
  const angle = /^repeating-linear-gradient\((-?[\d.]+)deg/.exec(image);
  if (!angle) return null;
  const stops = [...image.matchAll(STOP)].map(([, color, at]) => ({ color, at: Number(at) }));
  const bands = stops.slice(1).flatMap(({ color, at }, index) => {
    const from = stops[index].at;
    return at > from && !CLEAR.test(color) ? [{ from, to: at, fill: plainColor(color) }] : [];
  });
  return { angle: Number(angle[1]), period: stops.at(-1)?.at ?? 0, bands };
}

/**
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @returns {SVGElement[]}
 */
function images(box, { backgroundImage: image, backgroundPosition: position, backgroundSize: size }) {
  const bar = barOf(box, { image, position, size });
  if (bar) return bar.width > 0 ? [svg("rect", bar)] : [];
  const stripes = bandsOf(image);
  return stripes ? [striped(box, stripes)] : [];
}

/**
 * @param {Box} box
 * @param {NonNullable<ReturnType<typeof bandsOf>>} stripes
 */
function striped({ left: x, top: y, width, height }, { angle, period, bands }) {
  const id = `stripes-${[x, y, width, height].map(Math.round).join("-")}`;
  const turn = (angle * Math.PI) / 180;
  // The first band begins where the line through the middle, in this direction, enters the box.
  const half = (Math.abs(width * Math.sin(turn)) + Math.abs(height * Math.cos(turn))) / 2;
  const start = `${x + width / 2 - half * Math.sin(turn)} ${y + height / 2 + half * Math.cos(turn)}`;
  const patternTransform = `translate(${start}) rotate(${angle - 90})`;
  return svg(
    "g",
    {},
    svg(
      "pattern",
      { id, width: period, height: period, patternUnits: "userSpaceOnUse", patternTransform },
      ...bands.map(({ from, to, fill }) => svg("rect", { x: from, y: 0, width: to - from, height: period, fill })),
    ),
    svg("rect", { x, y, width, height, fill: `url(#${id})` }),
  );
}

/**
 * Shadows without blur: rings around a box, and marks at the edges inside it.
 * @param {Box} box
 * @param {string} text
 * @param {number | null} rx
 */
function shadows({ left: x, top: y, width, height }, text, rx) {
  /** @type {{rings: SVGElement[], insets: SVGElement[]}} */
  const parts = { rings: [], insets: [] };
  for (const [, color, across, down, spread, inset] of text.matchAll(SHADOW)) {
    const [dx, dy, size] = [Number(across), Number(down), Number(spread)];
    const fill = plainColor(color);
    if (inset) {
      const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 0), most);
      const [left, right] = [within(dx + size, width), within(width + dx - size, width)];
      const [top, bottom] = [within(dy + size, height), within(height + dy - size, height)];
      const inner = `M${x + left} ${y + top}H${x + right}V${y + bottom}H${x + left}Z`;
      const d = `M${x} ${y}H${x + width}V${y + height}H${x}Z${inner}`;
      parts.insets.push(svg("path", { d, fill, "fill-rule": "evenodd" }));
    } else if (dx === 0 && dy === 0 && size > 0) {
      const ring = { x: x - size / 2, y: y - size / 2, width: width + size, height: height + size };
      parts.rings.unshift(svg("rect", { ...ring, rx, fill: "none", stroke: fill, "stroke-width": size }));
    }
  }
  return parts;
}

/**
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @returns {SVGElement[]}
 */
function borders({ left: x, top: y, width, height }, style) {
  const sides = /** @type {const} */ ([
    ["Top", x, y, x + width, y],
    ["Bottom", x, y + height, x + width, y + height],
    ["Left", x, y, x, y + height],
    ["Right", x + width, y, x + width, y + height],
  ]);
  return sides.flatMap(([side, x1, y1, x2, y2]) => {
    const size = Number.parseFloat(style[`border${side}Width`]);
    const color = style[`border${side}Color`];
    if (!(size > 0) || style[`border${side}Style`] === "none" || CLEAR.test(color)) return [];
    return [svg("line", { x1, y1, x2, y2, stroke: plainColor(color), "stroke-width": size })];
  });
}

/**
 * An outline, but for that of the keyboard's focus.
 * @param {Element} element
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @param {number} radius
 * @returns {SVGElement[]}
 */
function outline(element, { left, top, width, height }, style, radius) {
  const size = Number.parseFloat(style.outlineWidth);
  if (style.outlineStyle === "none" || !(size > 0) || element.matches(":focus-visible")) return [];
  const out = Number.parseFloat(style.outlineOffset) + size / 2;
  const place = { x: left - out, y: top - out, width: width + 2 * out, height: height + 2 * out };
  const dashes = { dotted: `${size} ${size}`, dashed: `${2 * size} ${size}` };
  const look = { fill: "none", stroke: plainColor(style.outlineColor), "stroke-width": size };
  const dash = dashes[/** @type {keyof typeof dashes} */ (style.outlineStyle)] ?? null;
  return [svg("rect", { ...place, ...look, rx: Math.max(0, radius + out), "stroke-dasharray": dash })];
}
