/** Recorded API answers as they stand in a page: packed, in signs that any page may hold. */

import { decodePlanes, decodeShape, decodeSigns, encodeFloats, encodeSigns } from "../base/decode.js";
import { answerOnceThere } from "./recorded_answers.js";

/** @typedef {import("./recorded_answers.js").Recorded} Recorded */

/**
 * Answers all further requests from the records of a file; none is sent.
 * @param {Document} root
 * @param {import("./recorded_answers.js").Derive} [derive]
 */
export function answerFromPackedRecords(root, derive = () => null) {
  answerOnceThere(recordsIn(root), derive);
}

/**
 * A page of ours with answers in it, compressed to a third of their size or less, for `recordsIn` to read.
 * @param {string} page
 * @param {Recorded[]} records
 * @returns {Promise<string>}
 */
export async function withRecords(page, records) {
  const end = page.lastIndexOf("</body>");
  const script = await scriptOf(records);
  return `${page.slice(0, end)}${script}\n  ${page.slice(end)}`;
}

/**
 * Bytes that `withRecords` adds to a page.
 * @param {Recorded[]} records
 */
export async function recordsSize(records) {
  return (await scriptOf(records)).length;
}

/** @param {Recorded[]} records */
async function scriptOf(records) {
  const packed = await pack(JSON.stringify(records, shortened));
  return `<script type="text/plain" data-packed-records>${packed}</script>`;
}

/** Significant digits of recorded numbers: more than any view shows. */
const DIGITS = 8;
/** Of those that would stand half-way between two numbers shown, and be rounded again to the other one. */
const MORE_DIGITS = 12;

/** @param {number} value */
export function rounded(value) {
  const short = value.toPrecision(DIGITS);
  const [digits] = Number(short).toExponential().replace("-", "").split("e");
  return Number(digits.endsWith("5") && digits.length <= DIGITS ? value.toPrecision(MORE_DIGITS) : short);
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function shortened(_key, value) {
  return typeof value === "number" && !Number.isInteger(value) ? rounded(value) : value;
}

/** @param {string} text @returns {Promise<Uint8Array>} */
async function compressed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Bytes that a text takes in a file, before they are written in signs.
 * @param {string} text
 */
export async function packedSize(text) {
  return (await compressed(text)).length;
}

/** @param {string} text @returns {Promise<string>} gzip in signs */
async function pack(text) {
  const bytes = await compressed(text);
  return encodeSigns(bytes);
}

/** @param {string} packed */
async function unpack(packed) {
  const stream = new Blob([decodeSigns(packed.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * JSON; where the server packed it, with the numbers of all arrays behind a zero (`server/pages/packing.py`).
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Recorded[]}
 */
function readRecords(bytes) {
  const end = bytes.indexOf(0);
  const json = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  if (end < 0) return JSON.parse(json);
  const numbers = decodePlanes(bytes.slice(end + 1));
  return JSON.parse(json, (_, value) => {
    if (value?.dtype !== "f4-planes") return value;
    const { shape, bdata: first } = value;
    const count = decodeShape(value).reduce((product, size) => product * size, 1);
    return { dtype: "f4", shape, bdata: encodeFloats(numbers.subarray(first, first + count)) };
  });
}

/**
 * All answers that stand in a page, once they are unpacked.
 * @param {Document} root
 * @returns {Promise<Recorded[]>}
 */
export async function recordsIn(root) {
  const packed = [...root.querySelectorAll("script[data-packed-records]")];
  const contents = await Promise.all(packed.map(({ textContent }) => unpack(textContent ?? "")));
  return contents.flatMap(readRecords);
}
