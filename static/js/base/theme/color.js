/** Colour scales: stops of the design tokens, mixed in OKLab so that equal steps look equal. */

/** @typedef {[number, number, number]} Rgb  0…255 */

/**
 * @param {string} css  `#rrggbb` or `rgb(r, g, b)`
 * @returns {Rgb}
 */
export function parseColor(css) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(css.trim());
  if (hex) return /** @type {Rgb} */ (hex.slice(1).map((pair) => parseInt(pair, 16)));
  const rgb = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(css.trim());
  if (rgb) return /** @type {Rgb} */ (rgb.slice(1, 4).map(Number));
  throw new Error(`not a colour this page uses: ${css}`);
}

/**
 * @param {Rgb} rgb
 * @returns {string}
 */
export function cssColor(rgb) {
  return `rgb(${rgb.map((channel) => Math.round(channel)).join(", ")})`;
}

/**
 * A computed colour as SVG files of other programs read it: what was mixed is computed as `color(srgb …)`.
 * @param {string} css
 * @returns {string}
 */
export function plainColor(css) {
  return css.replace(
    /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g,
    (_, red, green, blue, alpha) => {
      const channels = [red, green, blue].map((share) => Math.round(255 * Number(share)));
      return alpha === undefined ? `rgb(${channels.join(", ")})` : `rgba(${[...channels, alpha].join(", ")})`;
    },
  );
}

/**
 * The colour at `position` (0…1) of evenly spaced stops.
 * @param {Rgb[]} stops
 * @param {number} position
 * @returns {Rgb}
 */
export function mix(stops, position) {
  const place = Math.min(Math.max(position, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  const share = place - index;
  const low = toOklab(stops[index]);
  const high = toOklab(stops[index + 1]);
  return fromOklab([0, 1, 2].map((axis) => low[axis] + share * (high[axis] - low[axis])));
}

/**
 * A colour for each byte, packed for a canvas (little-endian RGBA).
 * @param {Rgb[]} stops
 * @param {(weight: number) => number} [emphasis]  from weight 0…1 to place on the scale 0…1
 * @returns {Uint32Array}
 */
export function byteColors(stops, emphasis = (weight) => weight) {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    const [red, green, blue] = mix(stops, emphasis(byte / 255)).map(Math.round);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

/**
 * Whether black or white ink is easier to read on a colour. The better of the two has a contrast of at least 4.5 on any.
 * @param {Rgb} ground
 */
export function inkOn(ground) {
  return contrast(ground, [0, 0, 0]) >= contrast(ground, [255, 255, 255]) ? "black" : "white";
}

/**
 * Contrast ratio of WCAG 2.2, 1…21.
 * @param {Rgb} a
 * @param {Rgb} b
 */
export function contrast(a, b) {
  const [dark, bright] = [luminance(a), luminance(b)].sort((first, second) => first - second);
  return (bright + 0.05) / (dark + 0.05);
}

/** @param {Rgb} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map(linear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** A channel in linear light, 0…1. @param {number} channel */
function linear(channel) {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/**
 * OKLab of Ottosson (2020), https://bottosson.github.io/posts/oklab/
 * @param {Rgb} rgb
 * @returns {number[]}  lightness 0…1, and two opponent axes
 */
export function toOklab(rgb) {
  const [r, g, b] = rgb.map(linear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * @param {number[]} lab
 * @returns {Rgb}
 */
export function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const light = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return /** @type {Rgb} */ (
    light.map((channel) => {
      const clipped = Math.min(Math.max(channel, 0), 1);
      return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055);
    })
  );
}
