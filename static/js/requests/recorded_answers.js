/** Recorded API answers in an offline file. */

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
 * The same once they are there: `unpacked` says when.
 * @param {Promise<Recorded[]>} records
 * @param {Derive} derive
 */
export function answerOnceThere(records, derive) {
  answerFromRecords([], derive);
  unpacking = records.then((loaded) => answerFromRecords(loaded, derive));
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
  const derived = held?.derive(request) ?? null;
  return derived && "answer" in derived ? derived.answer : undefined;
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
  const derived = file?.derive(request) ?? null;
  if (derived && "answer" in derived) return /** @type {A} */ (derived.answer);
  throw failure(
    derived?.missing ??
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
