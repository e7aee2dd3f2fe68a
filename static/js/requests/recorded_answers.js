/** Recorded API answers in an offline file. */

import { decodePlanes, decodeShape, decodeSigns, encodeFloats, encodeSigns } from "../base/decode.js";
import { t } from "../base/i18n.js";

/**
 * @typedef {object} Recorded  one answer of the API
 * @property {string} request  as `requestName` calls it
 * @property {unknown} answer
 */

/**
 * Derives the answer to an unrecorded request from recorded ones, or says why there is none.
 * @typedef {(request: string) => {answer: unknown} | {missing: string} | null} Derive
 */

/** @type {{answers: Map<string, unknown>, derive: Derive} | null} */
let file = null;
/** Until records that are packed have been unpacked. @type {Promise<unknown>} */
let unpacking = Promise.resolve();
/** That came with the page, each in place of one request. @type {Map<string, unknown>} */
const sent = new Map();
/** That came with a page whose server is far, in place of every request. @type {{answers: Map<string, unknown>, derive: Derive} | null} */
let held = null;
/** @type {Set<string>} */
const asked = new Set();

/**
 * Answers all further requests from these; none is sent.
 * @param {Recorded[]} records
 * @param {Derive} [derive]
 */
export function answerFromRecords(records, derive = () => null) {
  file = { answers: new Map(records.map(({ request, answer }) => [request, answer])), derive };
}

/**
 * The same in a file, whose records are packed (`withRecords`): they are there once `unpacked` has resolved.
 * @param {Document} root
 * @param {Derive} [derive]
 */
export function answerFromPackedRecords(root, derive = () => null) {
  answerFromRecords([], derive);
  unpacking = recordsIn(root).then((records) => answerFromRecords(records, derive));
}

/** @returns {Promise<unknown>}  resolves when all recorded answers are at hand */
export function unpacked() {
  return unpacking;
}

/**
 * Answers the first requests of a page whose answers the server had at hand: each once, so that it is asked again later.
 * @param {Recorded[]} answers
 */
export function answerFirst(answers) {
  for (const { request, answer } of answers) sent.set(request, answer);
}

/**
 * Answers requests from these as often as they come, and whatever follows from them; all others are sent.
 * @param {Recorded[]} records
 * @param {Derive} derive  gives nothing that the server would answer in more detail
 */
export function answerHeld(records, derive) {
  held = { answers: new Map(records.map(({ request, answer }) => [request, answer])), derive };
}

/**
 * The answer that came with the page; undefined if none did, or it has been taken.
 * @param {string} path
 * @param {unknown} body  undefined where nothing is sent
 */
export function takeSent(path, body) {
  const request = requestName(path, body);
  const answer = sent.get(request);
  sent.delete(request);
  return answer ?? heldAnswer(request);
}

/** @param {string} request */
function heldAnswer(request) {
  const answer = held?.answers.get(request);
  if (answer !== undefined) return structuredClone(answer);
  const found = held?.derive(request) ?? null;
  return found && "answer" in found ? found.answer : undefined;
}

/** @returns {boolean} whether there is no server to ask */
export function isRecorded() {
  return file !== null;
}

/**
 * Whether a request can be answered at all: where a server is asked, any can.
 * @param {string} request
 * @returns {boolean}
 */
export function canAnswer(request) {
  return file === null || file.answers.has(request);
}

/**
 * A copy of the recorded answer. Throws the error that `failure` makes of a sentence if there is none.
 * @template A
 * @param {string} path
 * @param {unknown} body  undefined where nothing is sent
 * @param {(message: string) => Error} failure
 * @returns {A}  as the caller knows the route's answer
 */
export function recordedAnswer(path, body, failure) {
  const request = requestName(path, body);
  const answer = file?.answers.get(request);
  if (answer !== undefined) return /** @type {A} */ (structuredClone(answer));
  const found = file?.derive(request) ?? null;
  if (found && "answer" in found) return /** @type {A} */ (found.answer);
  throw failure(
    found?.missing ??
      t(
        "This file works without a server: it holds the presets and what was shown when it was saved. For anything else, open the live page.",
      ),
  );
}

/**
 * What a file holds under a name that is no request; undefined where it holds nothing.
 * @template A
 * @param {string} name
 * @returns {A | undefined}
 */
export function recordedAt(name) {
  return /** @type {A | undefined} */ (file?.answers.get(name));
}

/**
 * @param {string} path
 * @param {unknown} body  null or undefined where nothing is sent
 * @returns {string}
 */
export function requestName(path, body) {
  return body === undefined || body === null ? path : `${path} ${body}`;
}

/**
 * Notes a path that the page requests in any state.
 * @param {string} path
 */
export function noteAsked(path) {
  asked.add(path);
}

/** @returns {Iterable<string>} */
export function askedPaths() {
  return asked;
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
