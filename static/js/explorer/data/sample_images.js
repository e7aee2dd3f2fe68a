/** Sample images, computed from formulas, so that a link needs only their names. */

/** @typedef {[number, number, number]} Rgb  0…255 */
/** @typedef {(x: number, y: number) => Rgb} Painting  the colour at a point, 0…1 across and down */

/** Pixels down and across: what most vision transformers read. */
const SAMPLE_SIZE = 224;
/** Points looked at in each pixel, across and down, so that edges are smooth. */
const FINE = 3;

const distance = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ a, /** @type {number} */ b) =>
  Math.hypot(x - a, y - b);

/** @type {Record<string, Painting>} */
const PAINTINGS = {
  shapes(x, y) {
    if (distance(x, y, 0.3, 0.32) < 0.17) return [206, 57, 43];
    if (Math.abs(x - 0.72) < 0.14 && Math.abs(y - 0.3) < 0.14) return [38, 89, 168];
    // Below the two slanting sides and above the base.
    const isInside = y < 0.86 && y > 0.56 + Math.abs(x - 0.5) * 1.5;
    return isInside ? [240, 185, 48] : [242, 239, 230];
  },
  face(x, y) {
    if (distance(x, y, 0.37, 0.42) < 0.05 || distance(x, y, 0.63, 0.42) < 0.05) return [42, 32, 28];
    const mouth = distance(x, y, 0.5, 0.5);
    if (y > 0.55 && mouth > 0.19 && mouth < 0.235) return [150, 40, 40];
    return distance(x, y, 0.5, 0.5) < 0.36 ? [247, 205, 84] : [113, 171, 206];
  },
  night(x, y) {
    const isMoon = distance(x, y, 0.66, 0.3) < 0.16 && distance(x, y, 0.59, 0.27) > 0.14;
    if (isMoon) return [250, 242, 205];
    const stars = [
      [0.16, 0.18],
      [0.34, 0.34],
      [0.24, 0.52],
      [0.86, 0.55],
      [0.48, 0.12],
    ];
    if (stars.some(([a, b]) => distance(x, y, a, b) < 0.013)) return [255, 255, 240];
    const hill = 0.8 - 0.1 * Math.sin(3 * x + 0.4);
    const isDome = distance(x, y, 0.3, hill) < 0.11 && y < hill;
    if (isDome) return Math.abs(x - 0.33) < 0.012 ? [60, 60, 75] : [190, 190, 200];
    return y > hill ? [24, 38, 34] : [20 + 30 * y, 28 + 44 * y, 66 + 70 * y];
  },
  checks(x, y) {
    const isDark = (Math.floor(x * 7) + Math.floor(y * 7)) % 2 === 0;
    const isOdd = Math.floor(x * 7) === 4 && Math.floor(y * 7) === 2;
    if (isOdd) return [206, 57, 43];
    return isDark ? [52, 54, 62] : [236, 233, 222];
  },
};

export const PAINTED = Object.freeze(Object.keys(PAINTINGS));

/**
 * @param {string} name  one of PAINTED
 * @param {number} [size]  pixels a side
 * @returns {Uint8ClampedArray<ArrayBuffer>}  red, green, blue and opacity of each pixel, row by row
 */
export function samplePixels(name, size = SAMPLE_SIZE) {
  const paint = PAINTINGS[name];
  const pixels = new Uint8ClampedArray(size * size * 4);
  for (let pixel = 0; pixel < size * size; pixel++) {
    const [left, top] = [pixel % size, Math.floor(pixel / size)];
    const sum = [0, 0, 0];
    for (let point = 0; point < FINE * FINE; point++) {
      const x = (left + ((point % FINE) + 0.5) / FINE) / size;
      const y = (top + (Math.floor(point / FINE) + 0.5) / FINE) / size;
      paint(x, y).forEach((channel, index) => (sum[index] += channel));
    }
    pixels.set([...sum.map((channel) => channel / FINE ** 2), 255], pixel * 4);
  }
  return pixels;
}

/**
 * @param {string} name  one of PAINTED
 * @param {number} [size]
 * @returns {HTMLCanvasElement}
 */
export function sampleCanvas(name, size = SAMPLE_SIZE) {
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  canvas.getContext("2d")?.putImageData(new ImageData(samplePixels(name, size), size, size), 0, 0);
  return canvas;
}
