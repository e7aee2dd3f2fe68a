/** Decode numeric arrays from the API: base64 of little-endian bytes, or nested lists. */

/**
 * @typedef {object} EncodedArray
 * @property {string} dtype  such as "f4"
 * @property {string} shape  such as "12,12"
 * @property {string} bdata  bytes in base64
 *
 * @typedef {[number, number]} Range  first, and one past the last
 *
 * @typedef {object} Matrix  a window of one stage of one head; −∞ stays −Infinity
 * @property {Float32Array} values  row-major
 * @property {number} height  cells down
 * @property {number} width  cells across
 * @property {Range} rows  queries it covers
 * @property {Range} cols  keys it covers
 * @property {number} cellRows  queries in one cell; 1 unless pooled
 * @property {number} cellCols
 *
 * @typedef {object} Thumbnails  the weights of every head, pooled
 * @property {Uint8Array} bytes
 * @property {number} layers
 * @property {number} heads
 * @property {number} height
 * @property {number} width
 */

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * @param {string} base64
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function decodeBytes(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** What bytes in a saved file are written with (`server/pages/packing.py`): two for 13 bits. */
const SIGNS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(index + 33)).filter(
  (sign) => !["'", "<", "\\"].includes(sign),
);
const BLOCK = 13;

/**
 * Bytes as text, 8 % shorter than base64. The first sign says how many bytes too many the others are.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function encodeSigns(bytes) {
  const count = SIGNS.length;
  const pair = (/** @type {number} */ number) => SIGNS[Math.floor(number / count)] + SIGNS[number % count];
  const pairs = [];
  let [held, bits] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    if (bits < BLOCK) continue;
    bits -= BLOCK;
    pairs.push(pair(held >> bits));
    held &= (1 << bits) - 1;
  }
  if (bits > 0) pairs.push(pair(held << (BLOCK - bits)));
  return SIGNS[Math.floor((pairs.length * BLOCK) / 8) - bytes.length] + pairs.join("");
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function decodeSigns(text) {
  const numbers = new Uint8Array(127);
  SIGNS.forEach((sign, index) => (numbers[sign.charCodeAt(0)] = index));
  const number = (/** @type {number} */ position) => numbers[text.charCodeAt(position)];
  const bytes = new Uint8Array(Math.floor((((text.length - 1) / 2) * BLOCK) / 8));
  let [held, bits, end] = [0, 0, 0];
  for (let position = 1; position < text.length; position += 2) {
    held = (held << BLOCK) | (number(position) * SIGNS.length + number(position + 1));
    for (bits += BLOCK; bits >= 8;) bytes[end++] = held >> (bits -= 8);
    held &= (1 << bits) - 1;
  }
  return bytes.slice(0, end - number(0));
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}  in base64
 */
export function encodeBytes(bytes) {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * The bytes of `decodeFloats` for "f4".
 * @param {Float32Array} values
 * @returns {string}  in base64
 */
export function encodeFloats(values) {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, index) => view.setFloat32(4 * index, value, true));
  return encodeBytes(new Uint8Array(view.buffer));
}

/**
 * @param {EncodedArray} encoded
 * @returns {number[]}
 */
export function decodeShape(encoded) {
  return encoded.shape.split(",").map(Number);
}

/**
 * An encoded array as numbers; `u1` becomes 0…1.
 * @param {EncodedArray} encoded
 * @returns {Float32Array}
 */
export function decodeFloats(encoded) {
  const bytes = decodeBytes(encoded.bdata);
  switch (encoded.dtype) {
    case "f4":
      return IS_LITTLE_ENDIAN ? new Float32Array(bytes.buffer) : readFloats(bytes);
    case "f2":
      return Float32Array.from(new Uint16Array(bytes.buffer), halfToNumber);
    case "u1":
      return Float32Array.from(bytes, (byte) => byte / 255);
    default:
      throw new Error(`unknown dtype ${encoded.dtype}`);
  }
}

/**
 * A matrix of the API in either of its forms, with "-Infinity" as −Infinity.
 * @param {EncodedArray | (number | string)[][]} encoded
 * @returns {{values: Float32Array, height: number, width: number}}
 */
export function decodeMatrix(encoded) {
  if (Array.isArray(encoded)) {
    const width = encoded[0]?.length ?? 0;
    return { values: Float32Array.from(encoded.flat(), Number), height: encoded.length, width };
  }
  const [height, width] = decodeShape(encoded);
  const values = decodeFloats(encoded);
  if (values.length !== height * width) throw new Error(`${values.length} numbers are not ${encoded.shape}`);
  return { values, height, width };
}

/**
 * A window of one head. The server pools in cells of one size, the last of which may be smaller.
 * @param {{matrix: EncodedArray | (number | string)[][], rows: Range, cols: Range}} json
 * @returns {Matrix}
 */
export function decodeWindow(json) {
  const { values, height, width } = decodeMatrix(json.matrix);
  const cellRows = Math.ceil((json.rows[1] - json.rows[0]) / height);
  const cellCols = Math.ceil((json.cols[1] - json.cols[0]) / width);
  return { values, height, width, rows: json.rows, cols: json.cols, cellRows, cellCols };
}

/**
 * @param {EncodedArray} overview
 * @returns {Thumbnails}
 */
export function decodeThumbnails(overview) {
  if (overview.dtype !== "u1") throw new Error(`thumbnails come as u1, not ${overview.dtype}`);
  const [layers, heads, height, width] = decodeShape(overview);
  return { bytes: decodeBytes(overview.bdata), layers, heads, height, width };
}

/**
 * IEEE 754 half precision.
 * @param {number} bits
 * @returns {number}
 */
export function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Float32Array}
 */
function readFloats(bytes) {
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}

/**
 * Floats whose first bytes stand together, then all second ones …, which compress better (`server/pages/packing.py`).
 * @param {Uint8Array<ArrayBuffer>} bytes  the highest of each float first
 * @returns {Float32Array}
 */
export function decodePlanes(bytes) {
  const count = bytes.length / 4;
  const view = new DataView(new ArrayBuffer(bytes.length));
  for (let index = 0; index < bytes.length; index++) {
    view.setUint8(4 * (index % count) + Math.floor(index / count), bytes[index]);
  }
  return Float32Array.from({ length: count }, (_, index) => view.getFloat32(4 * index));
}
