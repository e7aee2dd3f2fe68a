/** Thumbnail sheet: one canvas with the thumbnails of all heads, from which each is copied. */

import { madeOnce } from "../base/memoise.js";
import { decodeThumbnails } from "../base/decode.js";

/** @typedef {import("../base/decode.js").Thumbnails} Thumbnails */

/**
 * The thumbnails side by side (head across, layer down) on a canvas that is never shown.
 * @param {Thumbnails} thumbnails
 * @param {Uint32Array} colors  by byte
 * @returns {HTMLCanvasElement}
 */
function paintSheet({ bytes, layers, heads, height, width }, colors) {
  const sheet = document.createElement("canvas");
  sheet.width = heads * width;
  sheet.height = layers * height;
  const image = new ImageData(sheet.width, sheet.height);
  arrange(new Uint32Array(image.data.buffer), bytes, colors, { layers, heads, height, width });
  context(sheet).putImageData(image, 0, 0);
  return sheet;
}

/**
 * @param {Uint32Array} pixels
 * @param {Uint8Array} bytes
 * @param {Uint32Array} colors
 * @param {Omit<Thumbnails, "bytes">} size
 */
export function arrange(pixels, bytes, colors, { layers, heads, height, width }) {
  const across = heads * width;
  let byte = 0;
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      for (let row = 0; row < height; row++) {
        let pixel = (layer * height + row) * across + head * width;
        for (let col = 0; col < width; col++) pixels[pixel++] = colors[bytes[byte++]];
      }
    }
  }
}

/**
 * Copies one head's thumbnail, crisp when enlarged and averaged when reduced.
 * @param {CanvasRenderingContext2D} target
 * @param {HTMLCanvasElement} sheet
 * @param {Thumbnails} thumbnails
 * @param {{layer: number, head: number}} which
 * @param {{x: number, y: number, width: number, height: number}} box  in the target's pixels
 */
export function copyThumbnail(target, sheet, { height, width }, { layer, head }, box) {
  target.imageSmoothingEnabled = box.width < width || box.height < height;
  target.imageSmoothingQuality = "medium";
  target.drawImage(sheet, head * width, layer * height, width, height, box.x, box.y, box.width, box.height);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 */
export function context(canvas) {
  const found = canvas.getContext("2d");
  if (!found) throw new Error("this browser has no 2d canvas");
  return found;
}

/** The thumbnails of each part, decoded once, and painted once for each set of colours. */
export function createPartMemory() {
  return madeOnce((/** @type {import("../api/types.js").Part} */ part) => {
    const thumbnails = decodeThumbnails(part.overview);
    return { thumbnails, sheet: madeOnce((/** @type {Uint32Array} */ colors) => paintSheet(thumbnails, colors)) };
  });
}
